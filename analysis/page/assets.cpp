#include "analysis/page/assets.hpp"

// PAGE_FOLDER and CHART_JS (absent when not found) come from CMakeLists.txt.
#define EMBED(name, path)                                                                                             \
  asm(".pushsection .rodata\n.global " #name "_begin\n.hidden " #name "_begin\n.global " #name "_end\n.hidden " #name \
      "_end\n" #name "_begin:\n.incbin \"" path "\"\n" #name "_end:\n.byte 0\n.popsection\n");                        \
  extern "C" __attribute__((visibility("hidden"))) const char name##_begin[];                                         \
  extern "C" __attribute__((visibility("hidden"))) const char name##_end[]

EMBED(windtunnel_page_script, PAGE_FOLDER "/report.js");
EMBED(windtunnel_page_style, PAGE_FOLDER "/report.css");
#ifdef CHART_JS
EMBED(windtunnel_chart_js, CHART_JS);
#endif

namespace analysis {
namespace {

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

}  // namespace

std::string_view chart_js() {
#ifdef CHART_JS
  return between(windtunnel_chart_js_begin, windtunnel_chart_js_end);
#else
  return {};
#endif
}
std::string_view page_script() { return between(windtunnel_page_script_begin, windtunnel_page_script_end); }
std::string_view page_style() { return between(windtunnel_page_style_begin, windtunnel_page_style_end); }

}  // namespace analysis
