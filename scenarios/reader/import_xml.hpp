#pragma once
// One function per XML format: its root element -> the mapping that shape `file` reads.

#include "models/base/params.hpp"
#include "scenarios/reader/xml.hpp"

namespace scenarios {

models::Node graph_of_nccl(const XmlElement& system);       // <system>
models::Node graph_of_simgrid(const XmlElement& platform);  // <platform>

}  // namespace scenarios
