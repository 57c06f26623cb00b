// Charts of the page: curves over the load, tails of data, and schedules. All take a host element and what is drawn.
"use strict";

function svg(name, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes || {})) if (value !== undefined) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

const digits = (v, n) => String(Number(v.toPrecision(n)));

// duration writes seconds as people do.
function duration(seconds) {
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"]];
  if (seconds === 0) return "0 s";
  for (const [size, name] of units) if (seconds >= 0.9995 * size) return digits(seconds / size, 3) + " " + name;
  return digits(seconds, 3) + " s";
}

// Ticks between two values: equal steps, steps of a logarithmic axis, and times that have names.
function linearTicks(lo, hi, most) {
  const raw = (hi - lo) / most, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const all = [];
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi * (1 + 1e-9); i++) all.push(i * step);
  return all;
}

function logTicks(lo, hi, most) {
  if (hi < 3 * lo) return linearTicks(lo, hi, most);
  for (const multiples of [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]) {
    const all = [];
    for (let e = Math.floor(Math.log10(lo)); e <= Math.ceil(Math.log10(hi)); e++) {
      for (const m of multiples) if (m * 10 ** e >= lo * 0.999 && m * 10 ** e <= hi * 1.001) all.push(m * 10 ** e);
    }
    if (all.length <= most) return all;
  }
  return [lo, hi];
}

function timeTicks(lo, hi, most) {
  const named = [];
  for (const [unit, of] of [[1, [1, 2, 5, 10, 20, 30]], [60, [1, 2, 5, 10, 20, 30]], [3600, [1, 2, 4, 8, 12]],
    [86400, [1, 2, 5, 10, 20, 50, 100, 200, 500]]]) for (const m of of) named.push(m * unit);
  const all = named.filter((t) => t >= lo && t <= hi);
  if (all.length < 2) return logTicks(lo, hi, most);
  const step = Math.ceil(all.length / most);
  return all.filter((_, i) => i % step === 0);
}

// timeSteps are equal steps of time from 0 that have names.
function timeSteps(end, most) {
  const units = [[86400, [100, 50, 20, 10, 5, 2, 1]], [3600, [12, 6, 3, 2, 1]], [60, [30, 15, 10, 5, 2, 1]], [1, [30, 15, 10, 5, 2, 1]]];
  const steps = units.flatMap(([unit, of]) => of.map((m) => m * unit)).filter((s) => s <= end && end / s <= most);
  if (!steps.length) return linearTicks(0, end, most);
  const all = [];
  for (let t = 0; t <= end; t += steps.at(-1)) all.push(t);
  return all;
}

const path = (points) => points.map(([x, y], i) => (i ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1)).join("");

// curveChart draws lines over the load. spec: lines [{name, of, points [[load, y]]}], log, ticks, format, load, toLoad,
// versus (a value that divides the plane into two zones [above, below] with names and colours), label.
function curveChart(host, spec) {
  const width = Math.max(260, host.clientWidth), height = spec.height || 230;
  const values = spec.lines.flatMap((l) => l.points.map((p) => p[1]));
  if (!values.length) { host.replaceChildren(); return; }
  const named = spec.lines.length > 1;
  const left = 52, right = width - (named ? 86 : 14), top = 8, bottom = height - 34;
  let [lo, hi] = spec.range(Math.min(...values), Math.max(...values));
  const x = (load) => left + load * (right - left);
  const scale = spec.log ? Math.log : (v) => v;
  const y = (v) => bottom - (scale(v) - scale(lo)) / (scale(hi) - scale(lo)) * (bottom - top);
  const clip = host.id + "-clip";
  const root = svg("svg", { height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": spec.label });
  root.append(svg("clipPath", { id: clip }, svg("rect", { x: left, y: top, width: right - left, height: bottom - top })));
  for (const t of spec.ticks(lo, hi, 6)) {
    root.append(svg("line", { x1: left, x2: right, y1: y(t), y2: y(t), stroke: "var(--grid)" }),
      svg("text", { x: left - 8, y: y(t) + 4, "text-anchor": "end" }, spec.format(t)));
  }
  for (let t = 0; t <= 10; t += width < 420 ? 2 : 1) {
    root.append(svg("text", { x: x(t / 10), y: bottom + 17, "text-anchor": "middle" }, String(t / 10)));
  }
  root.append(svg("line", { x1: left, x2: right, y1: bottom, y2: bottom, stroke: "var(--edge)" }),
    svg("text", { x: (left + right) / 2, y: height - 2, "text-anchor": "middle" }, "load"));
  if (spec.versus) versus(root, spec, { x, y, left, right, top, bottom, clip });
  for (const l of spec.lines) {
    const points = l.points.map(([a, b]) => [x(a), y(b)]);
    root.append(svg("path", { d: path(points), fill: "none", stroke: `var(--${l.of})`, "stroke-width": 2.2,
      "stroke-linejoin": "round", "clip-path": `url(#${clip})`, "stroke-dasharray": l.dashed }));
  }
  if (named) names(root, spec.lines, y, right, top, bottom);
  marker(root, spec, { x, y, left, right, top, bottom });
  if (spec.versus) sides(root, spec.versus, y(spec.versus.at), { left, top, bottom });
  host.replaceChildren(root);
  host.classList.remove("stale");
  pointing(host, root, spec, { x, left, right });
}

// versus tints what is between the curve and a value, unless it is plain.
function versus(root, spec, g) {
  const { at, above, below } = spec.versus, base = g.y(at);
  const points = spec.lines[0].points.map(([a, b]) => [g.x(a), g.y(b)]);
  const area = path([[points[0][0], base], ...points, [points.at(-1)[0], base]]) + "Z";
  for (const [side, from, to] of [[above, g.top, base], [below, base, g.bottom]]) {
    if (to - from < 1 || spec.versus.plain) continue;
    const clip = g.clip + "-" + side.of;
    root.append(svg("clipPath", { id: clip }, svg("rect", { x: g.left, y: from, width: g.right - g.left, height: to - from })),
      svg("path", { d: area, fill: `var(--${side.of}-tint)`, "clip-path": `url(#${clip})` }));
  }
  root.append(svg("line", { x1: g.left, x2: g.right, y1: base, y2: base, stroke: "var(--edge)", "stroke-dasharray": "4 3" }));
}

// sides names what is above and what is below a value, over the curves and the line of the load.
function sides(root, { above, below }, base, g) {
  const name = (side, y) => root.append(svg("text", { x: g.left + 8, y, class: "name side", style: `fill: var(--${side.of})` }, side.name));
  if (base - g.top > 34) name(above, g.top + 14);
  if (g.bottom - base > 34) name(below, g.bottom - 8);
}

// names writes the name of each line at its end, none over another.
function names(root, lines, y, right, top, bottom) {
  const ends = lines.filter((l) => l.points.length).map((l) => ({ l, at: Math.min(bottom, Math.max(top + 6, y(l.points.at(-1)[1]))) }));
  ends.sort((a, b) => a.at - b.at);
  for (let i = 1; i < ends.length; i++) ends[i].at = Math.max(ends[i].at, ends[i - 1].at + 15);
  const over = ends.length ? ends.at(-1).at - bottom : 0;
  for (const e of ends) {
    root.append(svg("text", { x: right + 7, y: e.at - Math.max(0, over) + 4, class: "name", style: `fill: var(--${e.l.of})` }, e.l.name));
  }
}

// marker shows the load with the values there.
function marker(root, spec, g) {
  const at = g.x(spec.load);
  root.append(svg("line", { x1: at, x2: at, y1: g.top, y2: g.bottom, stroke: "var(--ink)", "stroke-width": 1.2 }),
    svg("circle", { cx: at, cy: g.bottom, r: 5, fill: "var(--ink)", class: "handle" }));
  for (const l of spec.lines) {
    if (!(l.now > 0)) continue;
    const cy = Math.min(g.bottom, Math.max(g.top, g.y(l.now)));
    root.append(svg("circle", { cx: at, cy, r: 4.5, fill: `var(--${l.of})`, stroke: "var(--paper)", "stroke-width": 1.5 }));
  }
}

// pointing shows the values under the pointer, and moves the load while it is pressed.
function pointing(host, root, spec, g) {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  host.append(tip);
  const loadAt = (event) => {
    const box = root.getBoundingClientRect();
    return (event.clientX - box.left - g.left) / (g.right - g.left);
  };
  root.style.cursor = "crosshair";
  root.onpointerdown = (event) => { if (!event.button) { host.dataset.dragging = "1"; spec.toLoad(loadAt(event)); } };
  root.onpointermove = (event) => {
    const load = loadAt(event);
    if (host.dataset.dragging && event.buttons) { spec.toLoad(load); return; }
    delete host.dataset.dragging;
    show(load);
  };
  root.onpointerup = root.onpointercancel = () => { delete host.dataset.dragging; };
  root.onpointerleave = () => { tip.hidden = true; delete host.dataset.dragging; };
  function show(load) {
    const rows = [];
    let near;
    for (const l of spec.lines) {
      for (const p of l.points) if (near === undefined || Math.abs(p[0] - load) < Math.abs(near - load)) near = p[0];
    }
    for (const l of spec.lines) {
      const p = l.points.find((q) => q[0] === near);
      if (p) rows.push((l.name ? l.name + " " : "") + spec.format(p[1], true) + (l.note ? l.note(near) : ""));
    }
    tip.hidden = rows.length === 0;
    tip.replaceChildren("load " + digits(near, 3), ...rows.flatMap((r) => [document.createElement("br"), r]));
    const at = g.x(near), room = host.clientWidth;
    tip.style.top = "10px";
    tip.style.left = Math.max(0, at + 10 + tip.offsetWidth > room ? at - 10 - tip.offsetWidth : at + 10) + "px";
  }
}

const jobColours = ["#7fb8dd", "#f2a97e", "#7fcfb5", "#e3b5d0", "#f5d280", "#b4a7d6", "#c9d88b", "#d6b49a", "#9fd9e6"];

// ganttChart draws schedules one under the other over one axis of time. names says what policies are called, unit how
// many seconds a unit of time has.
function ganttChart(host, s, names, unit) {
  const width = Math.max(260, host.clientWidth), left = 8, right = width - 8;
  const x = (t) => left + (Math.min(s.to, Math.max(s.from, t)) - s.from) / (s.to - s.from) * (right - left);
  const root = svg("svg", { role: "img", "aria-label": "Which job has which nodes when, under " +
    s.schedules.map((one) => names(one.policy).name).join(" and ") });
  let top = 0;
  for (const one of s.schedules) {
    const row = Math.max(3, Math.min(14, 150 / one.nodes)), { name, of } = names(one.policy);
    root.append(svg("text", { x: left, y: top + 13, class: "name", style: `fill: var(--${of})` }, name));
    top += 19;
    root.append(svg("rect", { x: left, y: top, width: right - left, height: row * one.nodes, fill: "var(--card)" }));
    for (const b of one.bars) root.append(bar(b, x, top, row));
    top += row * one.nodes + 3;
    const most = Math.max(0, ...one.queue.map((q) => q.waiting));
    if (most) {
      root.append(svg("text", { x: right, y: top - row * one.nodes - 9, "text-anchor": "end" }, `at most ${most} wait`), queue(one, x, top, right));
      top += queueHeight;
    }
    top += 12;
  }
  root.append(svg("line", { x1: left, x2: right, y1: top - 6, y2: top - 6, stroke: "var(--edge)" }));
  for (const t of timeSteps((s.to - s.from) * unit, width < 500 ? 4 : 9)) {
    const at = x(s.from + t / unit);
    root.append(svg("text", { x: at, y: top + 9, "text-anchor": t === 0 ? "start" : at > right - 20 ? "end" : "middle" }, duration(t)));
  }
  root.setAttribute("height", top + 16);
  root.setAttribute("viewBox", `0 0 ${width} ${top + 16}`);
  host.replaceChildren(root);
  host.classList.remove("stale");
}

const queueHeight = 22;

// queue draws how many wait, from time to time.
function queue(schedule, x, top, right) {
  const most = Math.max(4, ...schedule.queue.map((q) => q.waiting)), bottom = top + queueHeight;
  const y = (waiting) => bottom - queueHeight * waiting / most;
  const points = [[x(-Infinity), bottom], [x(-Infinity), bottom]];
  for (const q of schedule.queue) points.push([x(q.at), points.at(-1)[1]], [x(q.at), y(q.waiting)]);
  points.push([right, points.at(-1)[1]], [right, bottom]);
  return svg("path", { d: path(points) + "Z", fill: "var(--edge)", opacity: 0.55 });
}

function bar(b, x, top, row) {
  const from = x(b.from), wide = x(b.to) - from, tall = b.nodes * row, at = top + b.first * row;
  const g = svg("g", {}, svg("title", {}, `job ${b.job}, ${b.nodes} ${b.nodes === 1 ? "node" : "nodes"}${b.paused ? ", stands still" : ""}`));
  g.append(svg("rect", { x: from, y: at, width: Math.max(0.4, wide), height: tall, fill: jobColours[b.job % jobColours.length],
    stroke: "var(--paper)", "stroke-width": Math.min(1, tall / 6), opacity: b.paused ? 0.4 : 1 }));
  if (!b.paused && wide > 22 && tall > 11) {
    g.append(svg("text", { x: from + wide / 2, y: at + tall / 2 + 4, "text-anchor": "middle", style: "fill: #22272c" }, String(b.job)));
  }
  return g;
}
