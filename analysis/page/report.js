(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  if (typeof Chart === "undefined") return;

  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5cc0", "#8c6d1f", "#56b4e9", "#444444"];
  const parts = ["#4c78a8", "#72a0c9", "#e45756", "#b279a2", "#f2a541", "#b8bec6", "#54a24b", "#9d755d", "#79706e", "#83bcb6"];
  const colour = (i) => colours[i % colours.length];
  const variantName = (i) => data.variants[i] || "run";
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.color = "#5b6675";
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.plugins.legend.labels.usePointStyle = true;
  Chart.defaults.plugins.legend.labels.boxHeight = 7;

  // Tolerance of published points: a vertical line with two ends.
  const whiskers = {
    id: "whiskers",
    afterDatasetsDraw(chart) {
      chart.data.datasets.forEach((set, i) => {
        if (!set.whiskers || !chart.isDatasetVisible(i)) return;
        const ctx = chart.ctx;
        ctx.save();
        ctx.strokeStyle = set.borderColor;
        ctx.lineWidth = 1.2;
        chart.getDatasetMeta(i).data.forEach((point, k) => {
          const range = set.whiskers[k];
          if (!range) return;
          const low = chart.scales.y.getPixelForValue(range[0]), high = chart.scales.y.getPixelForValue(range[1]);
          ctx.beginPath();
          for (const y of [low, high]) { ctx.moveTo(point.x - 5, y); ctx.lineTo(point.x + 5, y); }
          ctx.moveTo(point.x, low);
          ctx.lineTo(point.x, high);
          ctx.stroke();
        });
        ctx.restore();
      });
    }
  };

  const charts = {};
  function draw(id, config) {
    if (charts[id]) charts[id].destroy();
    config.plugins = [whiskers];
    charts[id] = new Chart(byId(id), config);
  }
  const short = (v) => {
    if (v === 0) return "0";
    const size = Math.abs(v);
    if (size < 1e-3 || size >= 1e7) return v.toExponential(0).replace("e+", "e");
    return String(Number(v.toPrecision(3)));
  };
  function logTick(v) { const m = v / Math.pow(10, Math.floor(Math.log10(v) + 1e-9)); return [1, 2, 5].some((k) => Math.abs(m - k) < 1e-6) ? short(v) : ""; }
  function decadeTick(v) { const e = Math.log10(v); return Math.abs(e - Math.round(e)) < 1e-9 ? short(v) : ""; }
  function axis(title, log, decades) {
    const made = { type: log ? "logarithmic" : "linear", title: { display: true, text: title }, grid: { color: "#eceff3" } };
    made.ticks = log ? { callback: decades ? decadeTick : logTick, autoSkip: true } : { callback: short };
    return made;
  }
  const wide = (values) => { const p = values.filter((v) => v > 0); return p.length === values.length && p.length > 1 && Math.max(...p) / Math.min(...p) > 20; };
  function fill(select, names, chosen) {
    names.forEach((name, i) => { const o = document.createElement("option"); o.value = i; o.textContent = name; select.appendChild(o); });
    select.value = chosen;
  }
  const hide = (id) => { const card = byId(id) && byId(id).closest(".card"); if (card) card.remove(); };

  // Relative gap against simulated time and against steps, for one swept point.
  function gap(id, column, title, point) {
    const sets = [];
    data.runs.filter((r) => r.point === point).forEach((run) => run.curves.forEach((curve, k) => sets.push({
      label: variantName(run.variant) + (k > 0 ? " (repeat " + (k + 1) + ")" : ""), data: curve.gap.map((g, i) => ({ x: curve[column][i], y: g })).filter((p) => p.y > 0),
      borderColor: colour(run.variant), backgroundColor: colour(run.variant), borderWidth: k > 0 ? 1 : 2, pointRadius: 0, first: k === 0
    })));
    draw(id, { type: "line", data: { datasets: sets }, options: {
      parsing: false, normalized: true, interaction: { mode: "nearest", axis: "x", intersect: false },
      scales: { x: axis(title, false), y: axis((data.axis || "relative gap").split(/ (?=\()/), true, true) },
      plugins: { legend: { labels: { filter: (item, d) => d.datasets[item.datasetIndex].first } } } } });
  }

  // Horizontal bars, one per run of `runs`, stacked by the parts [name, value].
  function stacked(id, runs, partsOf, title, label) {
    const names = [];
    runs.forEach((run) => partsOf(run).forEach(([name]) => { if (!names.includes(name)) names.push(name); }));
    draw(id, { type: "bar", data: { labels: runs.map(label), datasets: names.map((name, i) => ({
      label: name.replace(/_/g, " "), backgroundColor: parts[i % parts.length], data: runs.map((run) => { const found = partsOf(run).find((p) => p[0] === name); return found ? found[1] : null; }) })) },
      options: { indexAxis: "y", scales: { x: Object.assign(axis(title, false), { stacked: true }), y: { stacked: true, grid: { display: false } } }, plugins: { legend: { position: "bottom" }, tooltip: { callbacks: { label: (c) => c.dataset.label + ": " + short(c.parsed.x) } } } } });
  }
  const runLabel = (run) => [variantName(run.variant), data.points[run.point].text].filter((t) => t).join(", ");

  // A metric against a swept key. Other keys make separate lines; published points are hollow.
  function against(metric, key) {
    const category = key === data.keys.length || !data.keys[key].numeric;
    const place = (point) => category ? (key === data.keys.length ? data.points[point].text : data.points[point].at[key].text) : data.points[point].at[key].value;
    const others = (point) => category && key === data.keys.length ? "" : data.points[point].at.filter((_, k) => k !== key).map((v) => v.text).join(", ");
    const factor = metric.factor, sets = new Map(), xs = [], ys = [];
    data.runs.forEach((run) => {
      const value = run.metrics[metric.name];
      if (!value) return;
      const name = [variantName(run.variant), others(run.point)].filter((t) => t).join(", ");
      if (!sets.has(name)) sets.set(name, { label: name, variant: run.variant, data: [], whiskers: [] });
      const set = sets.get(name);
      set.data.push({ x: place(run.point), y: value[0] * factor });
      set.whiskers.push(value[2] > value[1] ? [value[1] * factor, value[2] * factor] : null);
      xs.push(place(run.point));
      ys.push(value[0] * factor);
    });
    const lines = [...sets.values()];
    lines.forEach((set, i) => {
      const c = data.variants.length > 1 && lines.length === data.variants.length ? colour(set.variant) : colour(i);
      Object.assign(set, { borderColor: c, backgroundColor: c, borderWidth: 2, pointRadius: 3.5 });
      if (!category) set.data.sort((a, b) => a.x - b.x);
    });
    const published = new Map();
    data.references.filter((r) => r.metric === metric.name).forEach((ref) => ref.places.forEach(([variant, point]) => {
      const name = "published" + (data.variants.length > 1 ? ": " + variantName(variant) : "");
      const like = lines.find((l) => l.variant === variant);
      if (!published.has(name)) published.set(name, { label: name, data: [], whiskers: [], showLine: false, borderColor: like ? like.borderColor : "#222", backgroundColor: "#fff", pointStyle: "rectRot", pointRadius: 7, pointBorderWidth: 2 });
      const set = published.get(name), y = ref.value * factor;
      set.data.push({ x: place(point), y: y });
      set.whiskers.push(ref.tolerance ? [y * (1 - ref.tolerance), y * (1 + ref.tolerance)] : null);
      ys.push(y);
    }));
    const label = category ? (key === data.keys.length ? "point" : data.keys[key].short) : data.keys[key].short + (data.keys[key].unit ? " (" + data.keys[key].shown + ")" : "");
    const scaled = (set) => { if (!category) set.data = set.data.map((p) => ({ x: p.x * data.keys[key].factor, y: p.y })); return set; };
    const x = category ? { type: "category", labels: [...new Set(xs)], title: { display: true, text: label }, grid: { display: false } } : axis(label, wide(xs));
    draw("against", { type: "line", data: { datasets: [...lines, ...published.values()].map(scaled) }, options: { scales: { x: x, y: axis(metric.label, wide(ys)) } } });
  }

  function links(point) {
    const runs = data.runs.filter((r) => r.point === point && r.links.length);
    const names = runs.length ? runs[0].links.map((l) => l[0]) : [];
    draw("links", { type: "bar", data: { labels: names, datasets: runs.map((run) => ({ label: variantName(run.variant), backgroundColor: colour(run.variant), data: names.map((n) => { const f = run.links.find((l) => l[0] === n); return f ? f[1] * 100 : null; }) })) },
      options: { indexAxis: "y", scales: { x: Object.assign(axis("busy, % of the time", false), { min: 0, max: 100 }), y: { grid: { display: false }, ticks: { autoSkip: false, font: { size: 10 } } } } } });
  }

  function sizes() {
    const sets = data.runs.filter((r) => r.sizes.length).map((run, i) => ({ label: runLabel(run) || "run", borderColor: colour(i), backgroundColor: colour(i), borderWidth: 2, pointRadius: 3, data: run.sizes.map((s) => ({ x: s[0], y: s[1] * 1e-9 })) }));
    draw("sizes", { type: "line", data: { datasets: sets }, options: { scales: { x: axis("message size (B)", true, true), y: axis("bus bandwidth (GB/s)", wide(sets.flatMap((s) => s.data.map((p) => p.y)))) } } });
  }

  // A point is the mean since the one before.
  const usageSelect = byId("usage_run");
  function usage(point) {
    const runs = data.runs.filter((r) => r.point === point && r.usage.length);
    const chosen = Math.min(Number(usageSelect.value || 0), runs.length - 1);
    usageSelect.replaceChildren();
    fill(usageSelect, runs.map((r) => variantName(r.variant)), Math.max(0, chosen));
    const lines = runs.length ? runs[Math.max(0, chosen)].usage : [];
    draw("usage", { type: "line", data: { datasets: lines.map((l, i) => ({ label: l[0], borderColor: colour(i), backgroundColor: colour(i), borderWidth: 1.2, pointRadius: 0, stepped: "after", data: l[1].map((p) => ({ x: p[0], y: p[1] })) })) },
      options: { parsing: false, plugins: { legend: { labels: { font: { size: 10 } } } }, scales: { x: axis("simulated time (s)", false), y: Object.assign(axis("% of the capacity", false), { min: 0 }) } } });
  }

  const has = { usage: data.runs.some((r) => r.usage && r.usage.length), gap: data.runs.some((r) => r.curves.length), steps: data.runs.some((r) => r.parts.length), memory: data.runs.some((r) => r.memory.length), links: data.runs.some((r) => r.links.length), sizes: data.runs.some((r) => r.sizes.length), against: data.metrics.length > 0 };
  for (const [id, ids] of [["gap", ["gap_time", "gap_steps"]], ["steps", ["parts"]], ["memory", ["memory"]], ["links", ["links"]], ["usage", ["usage"]], ["sizes", ["sizes"]], ["against", ["against"]]]) if (!has[id]) ids.forEach(hide);

  const pointSelect = byId("point"), unitSelect = byId("unit"), metricSelect = byId("metric"), keySelect = byId("key");
  fill(pointSelect, data.points.map((p) => p.text || "the only point"), 0);
  if (data.points.length < 2) pointSelect.parentElement.remove();
  function drawPoint() {
    const point = Number(pointSelect.value);
    if (has.gap) { gap("gap_time", "time", "simulated time (s)", point); gap("gap_steps", "step", "step", point); }
    if (has.memory) stacked("memory", data.runs.filter((r) => r.point === point && r.memory.length), (r) => r.memory, "peak memory of a rank (GiB)", (r) => variantName(r.variant));
    if (has.links) links(point);
    if (has.usage) usage(point);
  }
  function drawParts() {
    const share = unitSelect.value === "0", runs = data.runs.filter((r) => r.parts.length);
    byId("parts").parentElement.style.height = Math.max(320, 90 + 26 * runs.length) + "px";
    stacked("parts", runs, (run) => { const sum = run.parts.reduce((s, p) => s + p[1], 0); return share ? run.parts.map((p) => [p[0], 100 * p[1] / sum]) : run.parts; }, share ? "share of the step (%)" : "seconds per step", runLabel);
  }
  if (has.steps) { fill(unitSelect, ["share of the step", "seconds"], 0); unitSelect.onchange = drawParts; drawParts(); }
  if (has.against) {
    const placed = data.references.find((r) => r.places.length && data.metrics.some((m) => m.name === r.metric));
    const firstMetric = placed ? placed.metric : "throughput_samples_per_s";
    fill(metricSelect, data.metrics.map((m) => m.label), Math.max(0, data.metrics.findIndex((m) => m.name === firstMetric)));
    fill(keySelect, data.keys.map((k) => k.short).concat(["each point"]), data.keys.length === 1 && data.points.length > 1 ? 0 : data.keys.length);
    if (data.keys.length === 0) keySelect.parentElement.remove();
    const redraw = () => against(data.metrics[Number(metricSelect.value)], Number(keySelect.value || data.keys.length));
    metricSelect.onchange = keySelect.onchange = redraw;
    redraw();
  }
  if (has.sizes) sizes();
  pointSelect.onchange = drawPoint;
  usageSelect.onchange = () => usage(Number(pointSelect.value));
  drawPoint();
})();
