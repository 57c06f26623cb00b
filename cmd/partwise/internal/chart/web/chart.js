// Draws every figure of the page: its panels by uPlot, a legend whose entries switch lines in all panels, and beside the
// cursor, which arrow keys move as well, the values of the lines under it. A figure is the JSON in its element; see page.go
// for its fields.
(function () {
  "use strict";

  const axisFont = "12px 'Liberation Sans', Arial, Helvetica, sans-serif";

  // Colours are those of the style sheet, which knows a dark page from a light one.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colourOf = (series) => (dark.matches ? series.dark : series.color);
  const themed = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ink = themed("--ink"), paper = themed("--paper"), grid = themed("--grid"), rule = themed("--rule");
  const repaints = []; // what to do when the page turns dark or light

  // The marks of series, the same as on paper: paths around the origin, and whether they are filled.
  const disc = "M-4,0A4,4 0 1 0 4,0A4,4 0 1 0 -4,0Z", box = "M-3.5,-3.5H3.5V3.5H-3.5Z", pyramid = "M0,-4.5L4,3H-4Z";
  const marks = [
    [disc, true], [box, true], [pyramid, true], [disc, false], [box, false], [pyramid, false],
    ["M-3.5,-3.5L3.5,3.5M-3.5,3.5L3.5,-3.5", false], ["M-4.5,0H4.5M0,-4.5V4.5", false],
  ];
  const marksPerLine = 7;

  function element(name, className, parent) {
    const e = document.createElement(name);
    e.className = className;
    parent.appendChild(e);
    return e;
  }

  // Numbers as people write them: five digits, commas between thousands, no exponent where one reads better without.
  function format(v) {
    if (v === 0) return "0";
    const a = Math.abs(v);
    if (a < 1e-4 || a >= 1e7) return String(Number(v.toPrecision(5)).toExponential());
    const text = String(Number(v.toPrecision(5)));
    const [whole, fraction] = text.split(".");
    return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (fraction ? "." + fraction : "");
  }

  // One column of x for all lines; where a line has no point of its own it is undefined, where it is interrupted null.
  function columns(panel) {
    if (panel.lines.length === 0) return [[]];
    return uPlot.join(panel.lines.map((l) => [l.x, l.y]).concat(banded(panel).flatMap((l) => [[l.x, l.low], [l.x, l.high]])));
  }

  // The lines whose intervals are drawn as bands. Their ends are two more series each, behind those of all lines.
  function banded(panel) {
    return panel.lines.filter((l) => l.low && !l.dots);
  }

  function bands(figure, panel) {
    return banded(panel).map((l, k) => {
      const low = panel.lines.length + 1 + 2 * k;
      return { series: [low + 1, low], fill: () => colourOf(figure.series[l.series]) + "26" };
    });
  }

  // An axis that shows names has its ticks where these are.
  function naming(axis, names) {
    if (!names) return axis;
    const widest = Math.max(...names.map((n) => n.name.length));
    return Object.assign(axis, {
      splits: () => names.map((n) => n.at), values: () => names.map((n) => n.name), size: Math.max(axis.size, 7 * widest + 12),
    });
  }

  // The scale of an axis: the range of the printed picture, that of the visible data when zoomed in along x.
  function scales(panel, data) {
    const x = data[0];
    let zoomed = false;
    return {
      x: {
        time: false,
        distr: panel.logX ? 3 : 1,
        range: (_, lo, hi) => {
          zoomed = x.length > 0 && lo !== null && (lo > x[0] || hi < x[x.length - 1]);
          return zoomed ? [lo, hi] : [panel.xMin, panel.xMax];
        },
      },
      y: {
        distr: panel.logY ? 3 : 1,
        range: (_, lo, hi) => {
          if (!zoomed || lo === null) return [panel.yMin, panel.yMax];
          return panel.logY ? [lo / 1.1, hi * 1.1] : uPlot.rangeNum(lo, hi, 0.1, true);
        },
      },
    };
  }

  function axis(label) {
    return {
      label: label, values: ticks, font: axisFont, labelFont: axisFont, labelSize: 18, size: 28,
      stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: ink, width: 1, size: 5 },
    };
  }

  // The labels of an axis; of a logarithmic one only where uPlot leaves room for them.
  function ticks(_, splits) {
    return splits.map((v) => (v === null ? null : format(v)));
  }

  // The dashes of the strokes: solid, dashed, dotted.
  const dashes = [[], [8, 5], [2, 4]];

  function series(figure, line) {
    const of = figure.series[line.series], colour = () => colourOf(of);
    // Not aligned to pixels, which would make steps of curves that rise slowly.
    const one = { label: of.name, stroke: colour, width: 2, scale: "y", pxAlign: 0, points: { show: false } };
    if (line.stroke) one.dash = dashes[line.stroke];
    if (line.dots) {
      one.paths = () => null;
      one.points = { show: true, size: 4, fill: colour, width: 0 };
    }
    return one;
  }

  // Marks some points of each line, evenly and not where those of the others are: colour alone tells no lines apart, and of
  // two that coincide both are to be seen.
  function drawMarks(figure, panel) {
    return (u) => {
      if (figure.single) return;
      u.ctx.save();
      u.ctx.beginPath();
      u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      u.ctx.clip();
      panel.lines.forEach((line, i) => {
        if (line.dots || !u.series[i + 1].show) return;
        const [path, filled] = marks[figure.series[line.series].mark % marks.length], shape = new Path2D(path);
        const colour = colourOf(figure.series[line.series]);
        const y = u.data[i + 1];
        const known = y.map((_, k) => k).filter((k) => typeof y[k] === "number");
        const step = Math.max(1, Math.floor(known.length / marksPerLine));
        for (let k = Math.floor(i * step / panel.lines.length) % step; k < known.length; k += step) {
          u.ctx.save();
          u.ctx.translate(u.valToPos(u.data[0][known[k]], "x", true), u.valToPos(y[known[k]], "y", true));
          u.ctx.scale(devicePixelRatio, devicePixelRatio);
          u.ctx.fillStyle = filled ? colour : paper();
          u.ctx.strokeStyle = colour;
          u.ctx.lineWidth = 1.6;
          u.ctx.setLineDash([]);
          u.ctx.fill(shape);
          u.ctx.stroke(shape);
          u.ctx.restore();
        }
      });
      u.ctx.restore();
    };
  }

  // Draws the intervals of points that are not joined: of x beside an axis of names, of y elsewhere.
  function drawStrokes(figure, panel) {
    return (u) => panel.lines.filter((l) => l.low && l.dots).forEach((l) => {
      u.ctx.save();
      u.ctx.strokeStyle = colourOf(figure.series[l.series]);
      u.ctx.lineWidth = 2 * devicePixelRatio;
      u.ctx.beginPath();
      l.x.forEach((x, i) => [l.low[i], l.high[i]].forEach((end, k) => {
        const at = panel.yNames ? [end, l.y[i]] : [x, end];
        u.ctx[k === 0 ? "moveTo" : "lineTo"](u.valToPos(at[0], "x", true), u.valToPos(at[1], "y", true));
      }));
      u.ctx.stroke();
      u.ctx.restore();
    });
  }

  function drawRule(panel) {
    return (u) => {
      if (panel.rule === undefined) return;
      const y = Math.round(u.valToPos(panel.rule, "y", true));
      if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) return;
      u.ctx.save();
      u.ctx.setLineDash([]);
      u.ctx.strokeStyle = rule();
      u.ctx.lineWidth = devicePixelRatio;
      u.ctx.beginPath();
      u.ctx.moveTo(u.bbox.left, y);
      u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
      u.ctx.stroke();
      u.ctx.restore();
    };
  }

  // Where lines grow without bound.
  function drawLimits(figure, panel) {
    return (u) => panel.lines.forEach((line, i) => {
      if (!line.limit || !u.series[i + 1].show) return;
      const x = Math.round(u.valToPos(line.limit, "x", true));
      if (!(x > u.bbox.left && x < u.bbox.left + u.bbox.width)) return;
      u.ctx.save();
      u.ctx.strokeStyle = colourOf(figure.series[line.series]);
      u.ctx.lineWidth = devicePixelRatio;
      u.ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
      u.ctx.beginPath();
      u.ctx.moveTo(x, u.bbox.top);
      u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
      u.ctx.stroke();
      u.ctx.restore();
    });
  }

  // The place that the panel is about.
  function drawHere(panel) {
    return (u) => {
      const x = panel.here && Math.round(u.valToPos(panel.here.at, "x", true));
      if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
      const right = x > u.bbox.left + u.bbox.width / 2;
      u.ctx.save();
      u.ctx.setLineDash([]);
      u.ctx.strokeStyle = rule();
      u.ctx.lineWidth = devicePixelRatio;
      u.ctx.beginPath();
      u.ctx.moveTo(x, u.bbox.top);
      u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
      u.ctx.stroke();
      u.ctx.fillStyle = ink();
      u.ctx.font = 12 * devicePixelRatio + "px sans-serif";
      u.ctx.textAlign = right ? "right" : "left";
      u.ctx.textBaseline = "top";
      u.ctx.fillText(panel.here.name, x + (right ? -5 : 5) * devicePixelRatio, u.bbox.top + 3 * devicePixelRatio);
      u.ctx.restore();
    };
  }

  // The box beside the cursor: the value of x, then the lines under it from top to bottom.
  function tip(figure, panel) {
    let box;
    return {
      init: (u) => {
        box = element("div", "tip", u.over);
        box.hidden = true;
        box.setAttribute("aria-live", "polite");
        u.over.addEventListener("mouseleave", () => { box.hidden = true; });
        u.over.addEventListener("blur", () => { box.hidden = true; });
      },
      setCursor: (u) => {
        const rows = [];
        const x = u.data[0][u.cursor.idx];
        panel.lines.forEach((line, i) => {
          const at = u.cursor.idxs[i + 1];
          if (!u.series[i + 1].show || at === null || at === undefined) return;
          const y = u.data[i + 1][at];
          if (y === null || y === undefined) return;
          const own = u.data[0][at];
          rows.push({ line: line, y: y, text: format(y) + (own === x ? "" : " at " + format(own)) });
        });
        box.hidden = rows.length === 0 || u.cursor.left < 0;
        if (box.hidden) return;
        rows.sort((a, b) => b.y - a.y);
        box.textContent = "";
        element("div", "at", box).textContent = (panel.xLabel || figure.xLabel) + " " + format(x);
        for (const row of rows) {
          const one = element("div", "row", box);
          swatch(one, figure.series[row.line.series], row.line.stroke || 0, !figure.single);
          element("span", "name", one).textContent = name(figure, panel, row.line);
          element("span", "value", one).textContent = row.text;
        }
        place(box, u);
      },
    };
  }

  // Puts the box on that side of the cursor where it stays within the panel; across it, where there is none. The window is
  // no narrower than a panel.
  function place(box, u) {
    const across = u.over.clientWidth, down = u.over.clientHeight;
    box.style.maxWidth = Math.max(200, across) + "px";
    const w = box.offsetWidth, h = box.offsetHeight;
    let left = u.cursor.left + 14;
    if (left + w > across) left = u.cursor.left - 14 - w;
    let top = 8;
    if (left < 0) { // on no side: above or below the cursor
      left = Math.max(0, Math.min(u.cursor.left - w / 2, across - w));
      if (u.cursor.top < down / 2) top = Math.max(8, down - h - 8);
    }
    box.style.left = left + "px";
    box.style.top = top + "px";
  }

  // Lets arrow keys move the cursor from value to value.
  function keys(panel) {
    return (u) => {
      u.over.tabIndex = 0;
      u.over.setAttribute("role", "img");
      u.over.setAttribute("aria-label", panel.title + ": arrow keys tell the values");
      let at = -1;
      u.over.addEventListener("keydown", (e) => {
        const x = u.data[0], step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
        if (e.key === "Escape") u.setCursor({ left: -10, top: -10 });
        if (!step || x.length === 0) return;
        e.preventDefault();
        at = at < 0 ? (step > 0 ? 0 : x.length - 1) : Math.max(0, Math.min(x.length - 1, at + step));
        u.setCursor({ left: u.valToPos(x[at], "x"), top: u.over.clientHeight / 2 });
      });
    };
  }

  // Only where there are several strokes do they tell anything apart.
  function severalStrokes(panel) {
    return panel.lines.some((l) => l.stroke);
  }

  function name(figure, panel, line) {
    const stroke = (figure.strokes || [])[line.stroke || 0];
    const of = figure.series[line.series].name;
    if (!stroke || !severalStrokes(panel)) return of;
    return figure.single ? stroke : of + ", " + stroke;
  }

  // A piece of a line as the panels show it, with its mark.
  function swatch(parent, series, stroke, marked) {
    const s = picture("svg", parent, { class: "swatch", viewBox: "0 0 28 12", width: 28, height: 12 });
    const parts = [];
    const add = (attributes, filled) => parts.push([picture("path", s, attributes), filled]);
    if (!series.dots) add({ d: "M1,6H27", "stroke-width": 2.4, "stroke-dasharray": ["none", "6 4", "2 3"][stroke] }, false);
    if (series.dots) add({ d: disc, transform: "translate(14,6) scale(.6)" }, true);
    if (marked && !series.dots) {
      const [path, filled] = marks[series.mark % marks.length];
      add({ d: path, transform: "translate(14,6)", "stroke-width": 1.6 }, filled);
    }
    const paint = () => parts.forEach(([part, filled]) => {
      part.setAttribute("stroke", colourOf(series));
      part.setAttribute("fill", filled ? colourOf(series) : paper());
    });
    paint();
    return paint;
  }

  function picture(name, parent, attributes) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    parent.appendChild(e);
    return e;
  }

  function plot(figure, panel, into, key) {
    const data = columns(panel);
    const hover = tip(figure, panel);
    const options = {
      width: into.clientWidth || 420,
      height: 320,
      scales: scales(panel, data),
      padding: [12, 32, 0, 0],
      axes: [
        Object.assign(naming(axis(panel.xLabel || figure.xLabel), panel.xNames), { size: 28 }),
        naming(Object.assign(axis(panel.yLabel), { size: 64 }, panel.yTicks && { splits: () => panel.yTicks, filter: (_, v) => v }), panel.yNames),
      ],
      series: [{}].concat(panel.lines.map((l) => series(figure, l)),
        banded(panel).flatMap((l) => {
          const edge = { stroke: () => colourOf(figure.series[l.series]), width: 0.8, dash: [2, 2], points: { show: false } };
          return [edge, edge];
        })),
      bands: bands(figure, panel),
      legend: { show: false },
      cursor: {
        hover: { prox: 30, skip: [undefined] }, points: { size: 6 }, drag: { x: true, y: false }, focus: { prox: 16 },
      },
      focus: { alpha: 0.25 },
      hooks: {
        init: [hover.init, keys(panel)], setCursor: [hover.setCursor], draw: [drawRule(panel), drawHere(panel), drawLimits(figure, panel), drawStrokes(figure, panel), drawMarks(figure, panel)],
      },
    };
    if (!panel.xLabel) options.cursor.sync = { key: key };
    const u = new uPlot(options, data, into);
    addEventListener("resize", () => u.setSize({ width: into.clientWidth || 420, height: 320 }));
    return u;
  }

  function entry(legend, series, stroke, marked, text, toggled) {
    const label = element("label", "entry", legend);
    const box = element("input", "", label);
    box.type = "checkbox";
    box.checked = true;
    repaints.push(swatch(label, series, stroke, marked));
    element("span", "", label).textContent = text;
    box.addEventListener("change", () => toggled(box.checked));
  }

  function draw(root, key) {
    const figure = JSON.parse(root.querySelector("script").textContent);
    const off = { series: new Set(), strokes: new Set() };
    const plots = [];
    const update = () => plots.forEach(({ u, panel }) => u.batch(() => panel.lines.forEach((line, i) => {
      const stroke = severalStrokes(panel) && off.strokes.has(line.stroke || 0);
      const show = !stroke && (figure.single || !off.series.has(line.series));
      if (u.series[i + 1].show === show) return;
      u.setSeries(i + 1, { show: show });
      const band = banded(panel).indexOf(line);
      if (band >= 0) [1, 2].forEach((k) => u.setSeries(panel.lines.length + 2 * band + k, { show: show }));
    })));
    const toggle = (set, value) => (on) => {
      if (on) set.delete(value); else set.add(value);
      update();
    };
    const legend = element("div", "legend", root);
    const panels = element("div", "panels", root);
    panels.style.gridTemplateColumns = "repeat(" + figure.columns + ", minmax(0, 1fr))";
    figure.panels.forEach((panel, i) => {
      if (figure.rows && i % figure.columns === 0) {
        element("h3", "heading", panels).textContent = figure.rows[i / figure.columns];
      }
      const cell = element("div", "panel", panels);
      if (figure.lead && i === 0) cell.style.gridColumn = "1 / -1";
      element("div", "title", cell).textContent = panel.title;
      plots.push({ u: plot(figure, panel, element("div", "plot", cell), key), panel: panel });
    });
    if (!figure.single) {
      figure.series.forEach((s, i) => entry(legend, s, 0, true, s.name, toggle(off.series, i)));
    }
    (figure.strokes || []).forEach((text, i) => {
      const series = figure.single ? figure.series[i] : { color: "#666666", dark: "#aaaaaa" };
      entry(legend, series, i, false, text, toggle(off.strokes, i));
    });
    repaints.push(() => plots.forEach(({ u }) => u.redraw(false, true)));
    root.classList.add("drawn");
  }

  dark.addEventListener("change", () => repaints.forEach((f) => f()));
  // Paper has nothing to unfold. What is for the screen alone is not printed.
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details:not([open]):not(.screen)").forEach((d) => { d.open = d.unfolded = true; });
  });
  addEventListener("afterprint", () => {
    document.querySelectorAll("details").forEach((d) => { if (d.unfolded) d.open = d.unfolded = false; });
  });

  document.querySelectorAll(".figure").forEach((root, i) => draw(root, "figure " + i));

  // A table that is wider than the screen has smaller print; if it is still wider, it says so, as a wide picture does.
  const cut = () => document.querySelectorAll(".wide").forEach((t) => {
    t.classList.remove("tight", "cut");
    for (const name of ["tight", "cut"]) if (t.scrollWidth > t.clientWidth + 1) t.classList.add(name);
  });
  addEventListener("resize", cut);
  document.addEventListener("toggle", cut, true);
  cut();

  // A figure that was folded had no width.
  document.addEventListener("toggle", () => dispatchEvent(new Event("resize")), true);
})();
