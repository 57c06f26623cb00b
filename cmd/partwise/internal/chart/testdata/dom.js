// As much of a browser as the script of a page needs, to see that it runs: elements without looks. Reads a page from
// standard input, runs its scripts, switches an entry of the legend, points at a panel, and prints what came of it.
"use strict";
const html = require("fs").readFileSync(0, "utf8");

class Element {
  constructor(name) {
    Object.assign(this, { name, children: [], handlers: {}, className: "", hidden: false, checked: false });
    this.style = { setProperty() {}, removeProperty() {} };
    const classes = new Set();
    this.classList = {
      add: (c) => classes.add(c), remove: (c) => classes.delete(c), contains: (c) => classes.has(c),
      toggle: (c, on) => (on ? classes.add(c) : classes.delete(c)),
    };
    this.text = "";
  }
  get clientWidth() { return 600; }
  get clientHeight() { return 300; }
  get firstChild() { return this.children[0] || null; }
  get textContent() {
    return this.text + this.children.filter((c) => !c.picture).map((c) => c.textContent).join(" ");
  }
  set textContent(t) { this.text = String(t); this.children = []; }
  appendChild(c) { this.children.push(c); c.parentNode = this; return c; }
  insertBefore(c, before) {
    const at = this.children.indexOf(before);
    this.children.splice(at < 0 ? this.children.length : at, 0, c);
    c.parentNode = this;
    return c;
  }
  remove() {}
  setAttribute() {}
  removeAttribute() {}
  contains() { return true; }
  getBoundingClientRect() { return { left: 0, top: 0, width: 600, height: 300, right: 600, bottom: 300 }; }
  addEventListener(type, f) { (this.handlers[type] = this.handlers[type] || []).push(f); }
  removeEventListener() {}
  dispatch(type, more) {
    const event = Object.assign({ type, target: this, button: 0, preventDefault() {}, stopPropagation() {} }, more);
    (this.handlers[type] || []).forEach((f) => f.call(this, event));
  }
  getContext() {
    const drawn = { measureText: () => ({ width: 10 }) };
    return new Proxy(drawn, { get: (t, k) => (k in t ? t[k] : () => {}), set: (t, k, v) => { t[k] = v; return true; } });
  }
  all(test) { return (test(this) ? [this] : []).concat(...this.children.map((c) => c.all(test))); }
  querySelector() { return this.source; }
}

const figures = [...html.matchAll(/<div class="figure">\s*<script type="application\/json">(.*?)<\/script>/gs)].map((m) => {
  const root = new Element("div");
  root.source = { textContent: m[1] };
  return root;
});

const global = globalThis;
process.on("uncaughtException", (e) => {
  console.error((e.stack || String(e)).split("\n").filter((l) => l.length < 300).join("\n"));
  process.exit(1);
});
const body = new Element("body");
global.window = global;
global.addEventListener = () => {};
global.removeEventListener = () => {};
global.devicePixelRatio = 1;
global.getComputedStyle = () => ({ getPropertyValue: () => "#222" });
global.matchMedia = () => ({ addEventListener() {}, removeEventListener() {}, addListener() {}, removeListener() {} });
global.Path2D = class { moveTo() {} lineTo() {} arc() {} rect() {} closePath() {} bezierCurveTo() {} addPath() {} };
global.requestAnimationFrame = (f) => setImmediate(f);
global.document = {
  body, documentElement: body, createElement: (name) => new Element(name),
  createElementNS: (_, name) => Object.assign(new Element(name), { picture: true }), querySelectorAll: () => figures,
  addEventListener() {}, removeEventListener() {},
};
global.HTMLElement = Element;
if (!global.navigator) global.navigator = { language: "en-US" };
global.Event = class {};
global.CustomEvent = class {};
global.dispatchEvent = () => {};

for (const m of html.matchAll(/<script>(.*?)<\/script>/gs)) {
  (0, eval)(m[1].replace("var uPlot=", "globalThis.uPlot="));
  if (global.uPlot && !global.plots) { // the library is there: watch what is made of it
    const real = global.uPlot;
    global.plots = [];
    global.uPlot = function (...args) { const u = new real(...args); global.plots.push(u); return u; };
    Object.assign(global.uPlot, real);
  }
}

const of = (root, name, className) => root.all((e) => e.name === name && (className === undefined || e.className === className));
const shown = () => global.plots.map((u) => u.series.slice(1).map((s) => s.show));
setTimeout(() => {
  const out = {
    drawn: figures.every((f) => f.classList.contains("drawn")),
    entries: figures.map((f) => of(f, "label").map((e) => e.textContent.trim())),
    before: shown(),
    gaps: global.plots.map((u) => u.data.slice(1).map((y) => y.filter((v) => v === null).length)),
    ranges: global.plots.map((u) => [u.scales.x.min, u.scales.x.max, u.scales.y.min, u.scales.y.max]),
  };
  global.plots[0].setCursor({ left: 380, top: 100 });
  setTimeout(() => {
    out.tip = of(global.plots[0].over, "div", "tip").map((e) => (e.hidden ? "" : e.textContent)).join("|");
    const box = of(figures[0], "input")[0];
    box.checked = false;
    box.dispatch("change");
    setTimeout(() => {
      out.after = shown();
      console.log(JSON.stringify(out));
    }, 20);
  }, 20);
}, 50);
