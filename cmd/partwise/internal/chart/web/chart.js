// Draws every figure of the page: its panels by uPlot, a legend whose entries switch lines in all panels, and beside the
// cursor the values of the lines under it. A figure is the JSON in its element; see page.go for its fields.
(function () {
  "use strict";

  const axisFont = "12px 'Liberation Sans', Arial, Helvetica, sans-serif";

  function element(name, className, parent) {
    const e = document.createElement(name);
    e.className = className;
    parent.appendChild(e);
    return e;
  }

  // Numbers as people write them: five digits, spaces between thousands, no exponent where one reads better without.
  function format(v) {
    if (v === 0) return "0";
    const a = Math.abs(v);
    if (a < 1e-4 || a >= 1e7) return String(Number(v.toPrecision(5)).toExponential());
    const text = String(Number(v.toPrecision(5)));
    return a < 1e4 ? text : text.replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
  }

  // One column of x for all lines; where a line has no point of its own it is undefined, where it is interrupted null.
  function columns(panel) {
    return panel.lines.length === 0 ? [[]] : uPlot.join(panel.lines.map((l) => [l.x, l.y]));
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
      stroke: "#222", grid: { stroke: "#e2e2e2", width: 1 }, ticks: { stroke: "#222", width: 1, size: 5 },
    };
  }

  // The labels of an axis; of a logarithmic one only where uPlot leaves room for them.
  function ticks(_, splits) {
    return splits.map((v) => (v === null ? null : format(v)));
  }

  function series(figure, line) {
    const { name, color, round } = figure.series[line.series];
    // Not aligned to pixels, which would make steps of curves that rise slowly.
    const one = { label: name, stroke: color, width: 2, scale: "y", pxAlign: 0 };
    if (round > 0) { // the colours have all been used: markers tell these from the first
      one.points = { show: true, size: 8, width: 2, fill: round === 1 ? color : "#fff", filter: some };
    }
    if (line.dashed) one.dash = [8, 5];
    if (line.dots) {
      one.paths = () => null;
      one.points = { show: true, size: 4, fill: color, width: 0 };
    }
    return one;
  }

  // Some of the points, evenly.
  function some(u, i) {
    const known = u.data[i].map((y, k) => k).filter((k) => typeof u.data[i][k] === "number");
    const step = Math.max(1, Math.floor(known.length / 7));
    return known.filter((_, k) => k % step === 0);
  }

  function drawRule(panel) {
    return (u) => {
      if (panel.rule === undefined) return;
      const y = Math.round(u.valToPos(panel.rule, "y", true));
      if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) return;
      u.ctx.save();
      u.ctx.strokeStyle = "#666";
      u.ctx.lineWidth = devicePixelRatio;
      u.ctx.beginPath();
      u.ctx.moveTo(u.bbox.left, y);
      u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
      u.ctx.stroke();
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
        u.over.addEventListener("mouseleave", () => { box.hidden = true; });
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
          swatch(one, figure.series[row.line.series], row.line.dashed);
          element("span", "name", one).textContent = name(figure, panel, row.line);
          element("span", "value", one).textContent = row.text;
        }
        const left = u.cursor.left > u.over.clientWidth / 2;
        box.style.left = left ? "" : u.cursor.left + 14 + "px";
        box.style.right = left ? u.over.clientWidth - u.cursor.left + 14 + "px" : "";
        box.style.top = "8px";
      },
    };
  }

  // Only where there are both strokes do they tell anything apart.
  function bothStrokes(panel) {
    return panel.lines.some((l) => l.dashed);
  }

  function name(figure, panel, line) {
    const stroke = line.dashed ? figure.dashed : figure.solid;
    const of = figure.series[line.series].name;
    if (!stroke || !bothStrokes(panel)) return of;
    return figure.single ? stroke : of + ", " + stroke;
  }

  function swatch(parent, series, dashed) {
    const s = element("span", "swatch", parent);
    if (series.dots) {
      s.style.borderTop = "4px dotted " + series.color;
      return;
    }
    s.style.borderTop = "3px " + (dashed ? "dashed " : "solid ") + series.color;
    if (!series.round) return;
    const mark = element("span", "mark", s);
    mark.style.borderColor = series.color;
    mark.style.background = series.round === 1 ? series.color : "#fff";
  }

  function plot(figure, panel, into, key) {
    const data = columns(panel);
    const hover = tip(figure, panel);
    const options = {
      width: into.clientWidth || 420,
      height: 320,
      scales: scales(panel, data),
      padding: [12, 32, 0, 0],
      axes: [axis(panel.xLabel || figure.xLabel), Object.assign(axis(panel.yLabel), { size: 64 })],
      series: [{}].concat(panel.lines.map((l) => series(figure, l))),
      legend: { show: false },
      cursor: { hover: { prox: 30, skip: [undefined] }, points: { size: 6 }, drag: { x: true, y: false } },
      hooks: { init: [hover.init], setCursor: [hover.setCursor], draw: [drawRule(panel)] },
    };
    if (!panel.xLabel) options.cursor.sync = { key: key };
    const u = new uPlot(options, data, into);
    addEventListener("resize", () => u.setSize({ width: into.clientWidth || 420, height: 320 }));
    return u;
  }

  function entry(legend, series, dashed, text, toggled) {
    const label = element("label", "entry", legend);
    const box = element("input", "", label);
    box.type = "checkbox";
    box.checked = true;
    swatch(label, series, dashed);
    element("span", "", label).textContent = text;
    box.addEventListener("change", () => toggled(box.checked));
  }

  function draw(root, key) {
    const figure = JSON.parse(root.querySelector("script").textContent);
    const off = { series: new Set(), strokes: new Set() };
    const plots = [];
    const update = () => plots.forEach(({ u, panel }) => u.batch(() => panel.lines.forEach((line, i) => {
      const stroke = bothStrokes(panel) && off.strokes.has(!!line.dashed);
      const show = !stroke && (figure.single || !off.series.has(line.series));
      if (u.series[i + 1].show !== show) u.setSeries(i + 1, { show: show });
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
      element("div", "title", cell).textContent = panel.title;
      plots.push({ u: plot(figure, panel, element("div", "plot", cell), key), panel: panel });
    });
    const strokes = [figure.solid, figure.dashed];
    if (!figure.single) {
      figure.series.forEach((s, i) => entry(legend, s, false, s.name, toggle(off.series, i)));
    }
    strokes.forEach((text, i) => {
      const series = figure.single ? figure.series[i] : { color: "#666" };
      if (text) entry(legend, series, i > 0, text, toggle(off.strokes, i > 0));
    });
    root.classList.add("drawn");
  }

  document.querySelectorAll(".figure").forEach((root, i) => draw(root, "figure " + i));
})();
