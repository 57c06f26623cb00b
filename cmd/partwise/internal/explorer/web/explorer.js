// The page: controls make settings of the model, the worker answers, and what it says is shown.
(function () {
"use strict";
const $ = (id) => document.getElementById(id);
const start = JSON.parse($("data").textContent);

// The solver: questions go to a worker one at a time and come back as promises. stop ends it, whatever it does.
class Solver {
  constructor(module) {
    this.module = module;
    this.waiting = new Map();
    this.next = 1;
  }
  begin() {
    this.url = this.url || URL.createObjectURL(new Blob([start.worker], { type: "text/javascript" }));
    this.worker = new Worker(this.url);
    this.worker.postMessage({ module: this.module });
    this.worker.onmessage = ({ data }) => {
      const done = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      done(data.answer);
      if (data.ended) this.fail(data.answer.error);
    };
    this.worker.onerror = (event) => {
      console.error(event.message);
      this.fail("The solver stopped; the next move of a slider starts it again.");
    };
  }
  fail(error) {
    const all = [...this.waiting.values()];
    this.stop(); // the next question begins another one
    for (const done of all) done({ error });
  }
  ask(question) {
    if (!this.worker) this.begin();
    return new Promise((done) => {
      this.waiting.set(this.next, done);
      this.worker.postMessage({ id: this.next++, question });
    });
  }
  stop() {
    if (this.worker) this.worker.terminate();
    this.worker = null;
    this.waiting.clear();
  }
  get busy() { return this.waiting.size > 0; }
}

async function compiled() {
  const text = atob(start.solver), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  start.solver = "";
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }));
}

let model; // what the solver says of the model: its units and its sliders
let values; // where the sliders are, by key
// solver answers soon; later finds exact answers, curves and schedules, and aside the chain with a cooldown. Both are ended when
// something else is asked for.
let solver, later, aside;

// A slider is in steps: places in the list of values that the solver gives for it.
const nearest = (list, v) => list.reduce((best, x, i) => Math.abs(x - v) < Math.abs(list[best] - v) ? i : best, 0);
const seconds = (v) => duration(v * model.seconds);

// How a value is written, by the unit that the solver gives for its slider.
const written = {
  number: (v) => digits(v, 3),
  share: (v) => digits(100 * v, 3) + " %",
  time: seconds,
  nodes: (v) => v + (v === 1 ? " node" : " nodes"),
  partitions: (v) => v + (model.min_nodes > 1 ? " × " + model.min_nodes + " nodes" : v === 1 ? " node" : " nodes"),
};

// The solver lists the sliders: what they are called, where they are and which values they can have.
function makeControls() {
  const groups = new Map();
  for (const slider of model.sliders) {
    if (!groups.has(slider.group)) {
      const group = document.createElement("fieldset"), legend = document.createElement("legend");
      legend.textContent = slider.group;
      group.append(legend);
      groups.set(slider.group, group);
    }
    groups.get(slider.group).append(makeControl(slider));
  }
  document.querySelector(".groups").replaceChildren(...groups.values());
}

// A value with a few names is a choice in place of a slider.
function makeChoice(slider) {
  const box = document.createElement("div"), label = document.createElement("label"), select = document.createElement("select");
  box.className = "control";
  select.id = "control-" + slider.key;
  select.disabled = Boolean(slider.off);
  select.title = slider.off || "";
  label.htmlFor = select.id;
  label.textContent = slider.label;
  slider.choices.forEach((name, i) => select.add(new Option(name, i)));
  select.onchange = () => { set(slider.key, slider.values[select.selectedIndex]); };
  box.append(label, select);
  box.show = () => { select.selectedIndex = slider.values.indexOf(values[slider.key]); };
  box.show();
  return box;
}

// beside is what the page writes beside the load: how many jobs come in an hour, once the solver has told.
const jobsAnHour = () => digits(last.arrival_rate * 3600 / model.seconds, 3);
const beside = (key) => key === "load" && last && Math.abs(last.load - values.load) < 1e-9 ? ` (${jobsAnHour()} jobs an hour)` : "";

function makeControl(slider) {
  if (slider.choices) return makeChoice(slider);
  const box = document.createElement("div"), label = document.createElement("label"), output = document.createElement("output");
  const input = document.createElement("input");
  const { key, values: list } = slider;
  box.className = "control";
  input.type = "range";
  input.id = "control-" + key;
  input.min = 0;
  input.max = list.length - 1;
  input.disabled = Boolean(slider.off);
  input.title = slider.off || "";
  label.htmlFor = output.htmlFor = input.id;
  label.textContent = slider.label;
  const show = () => {
    const v = values[key];
    const text = (v === undefined ? slider.missing : v === 0 && slider.zero || written[slider.unit](v)) + beside(key);
    if (document.activeElement !== input && v !== undefined) input.value = nearest(list, v);
    if (v === undefined && !slider.off) input.value = 0;
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
  };
  input.oninput = () => { set(key, list[Number(input.value)]); };
  box.append(label, output, input);
  box.show = show;
  show();
  return box;
}

function set(key, value) {
  values[key] = value;
  changed();
}

const toLoad = (load) => set("load", Math.min(0.99, Math.max(0.01, Math.round(load * 100) / 100)));

// What was asked for last wins. The first answer comes soon, from a coarser model if the exact one is large; while nothing moves,
// the exact answer, the curve and the schedule follow, which never keep the next answer waiting.
let version = 0, answered = 0, working = false, still;

function changed() {
  version++;
  $("main").setAttribute("aria-busy", "true");
  $("main").classList.add("waiting"); // which greys what is shown, if the answer takes a while
  for (const box of document.querySelectorAll(".control")) box.show();
  if (later.busy) later.stop();
  clearTimeout(still);
  remember();
  askAside();
  if (!working) work();
}

async function work() {
  working = true;
  while (answered !== version) {
    const now = version, q = question(), { units } = values;
    grade = grades.get(units) || 0;
    const decision = await solver.ask({ ...q, kind: "decision", grade, limit: last ? soon : 2 * soon });
    show(decision);
    if (!decision.error) grades.set(units, decision.grade);
    answered = now;
    if (now !== version) continue;
    clearTimeout(still);
    still = setTimeout(() => follow(now, q, decision), last ? 120 : 0);
  }
  working = false;
}

// soon is how many milliseconds a grade may take before a coarser one is tried; the first to be tried is that which a machine of as
// many partitions needed before.
const soon = 120, grades = new Map();
let grade = 0;

// show shows an answer, or that there is none.
function show(decision) {
  $("main").classList.remove("waiting");
  fail(decision.error);
  stale(Boolean(decision.error));
  if (decision.error) { approximate(); return; }
  grade = decision.grade;
  approximate(decision.approximate && `Approximate while you drag: ${decision.approximate}.`);
  showDecision(decision);
}

function approximate(text) {
  $("approximate").hidden = !text;
  $("approximate").textContent = text || "";
}

// follow finds what takes longer than an answer.
async function follow(now, q, decision) {
  let refused = Boolean(decision.error);
  if (!refused) await drawSchedule(now, q); // which is there at first sight
  if (now !== version) return;
  if (decision.approximate) {
    const began = Date.now(), was = grade;
    const clock = setInterval(() => {
      if (now !== version) clearInterval(clock);
      else approximate(`Approximate: ${decision.approximate}. The exact answer follows … ${Math.round((Date.now() - began) / 1000)} s`);
    }, 1000);
    const d = await later.ask({ ...q, kind: "exact", limit: patience });
    clearInterval(clock);
    if (now !== version) return;
    refused = Boolean(d.error);
    if (refused) approximate(`Approximate: ${decision.approximate}. The exact answer is too large for a page: ${d.error}. On the ` +
      "command line: partwise solve model.yaml");
    else {
      show(decision = d);
      grade = Date.now() - began < soon ? 0 : was;
      grades.set(q.values.units, grade);
    }
  }
  if (!decision.error) {
    await curve(now, q, refused ? grade : 0);
    if (now !== version) return;
    if (!schedule || schedule.of !== scheduled().join()) await drawSchedule(now, q); // the exact answer has another best split
    if (now !== version) return;
    $("gantt").classList.remove("stale");
  }
  $("main").setAttribute("aria-busy", "false");
}

// scheduled returns the policies whose schedules are shown.
const scheduled = () => [...(!row("dynamic") || row("dynamic").stable ? ["dynamic"] : []), ...(last.best ? ["static:" + last.best] : []),
  ...(rigid() && rigid().stable ? ["fcfs"] : []), ...(values.cooldown ? ["smoothing:" + values.cooldown] : [])];

// rigid returns the row of rigid jobs, undefined without them.
const rigid = () => row("fcfs");

async function drawSchedule(now, q) {
  const policies = scheduled();
  const s = await later.ask({ ...q, kind: "schedule", policies });
  if (now !== version) return;
  schedule = s.error || !s.schedules.length ? null : { ...s, of: policies.join() };
  if (schedule) ganttChart($("gantt"), schedule, policyName, model.seconds);
  else $("gantt").replaceChildren(s.error || "No policy is stable.");
  $("gantt").classList.remove("stale");
}

// patience is how many milliseconds an exact answer may take.
const patience = 60000;

// The solver makes settings of the model of the values, as --set does.
function question(more) {
  return { model: start.model, values: { ...values }, ...more };
}

// What is still shown where these values have no answer is that of values before.
function stale(is) {
  $("main").classList.toggle("stale", is);
  if (is) $("sentence").textContent = "There is no answer for these values" + (last ? "; below is the answer for earlier values." : ".");
}

function fail(text) {
  $("problem").hidden = !text;
  $("problem").textContent = text || "";
}

let last, schedule; // the decision and the schedule that are shown
let points = new Map(), curveOf = "", coarse = 0; // the curve, by load, of all settings but the load, and its grade

// Loads of the curve, coarse ones first.
const rounds = [[0.05, 0.3, 0.5, 0.7, 0.9], [0.15, 0.4, 0.6, 0.8, 0.95], [0.1, 0.2, 0.25, 0.35, 0.45], [0.55, 0.65, 0.75, 0.85, 0.98],
  [0.02, 0.08, 0.12, 0.92, 0.965], [0.725, 0.775, 0.825, 0.875, 0.675]];

function curveKey() {
  const { load, cooldown, ...others } = values;
  return JSON.stringify(others);
}

// slow is how many milliseconds a load may take of a curve with all loads.
const slow = 300;

// curve draws the curve in a grade: exactly, or as coarsely as the answer is if the exact chain is too large. So the curve
// never contradicts the answer. Until there are enough loads, the charts say how far the curve is.
async function curve(now, q, at) {
  if (curveKey() !== curveOf || at !== coarse) { points = new Map(); curveOf = curveKey(); coarse = at; }
  let pace = 0;
  for (const [i, loads] of rounds.entries()) {
    if (pace > slow && i > 1 || pace > 10 * slow && i > 0) break;
    const missing = loads.filter((l) => !points.has(l));
    while (missing.length) {
      computing();
      const some = missing.splice(0, pace > slow || at < grade ? 1 : 5), began = performance.now();
      const answer = await later.ask({ ...q, kind: "curve", loads: some, grade: at });
      if (now !== version) return;
      if (answer.error) { computing(false); fail("The curve ends here: " + answer.error); drawCurves(); return; }
      pace = (performance.now() - began) / some.length;
      for (const p of answer) points.set(p.load, p);
      drawCurves();
    }
  }
  drawCurves();
}

// drawable reports whether the curve has enough loads to be drawn, and belongs to the values.
const drawable = () => points.size >= rounds[0].length && curveOf === curveKey();

// computing says in charts without a curve how many of its first loads are solved, or, with false, no longer says so.
function computing(still = true) {
  for (const chart of document.querySelectorAll(".charts .chart")) {
    if (!chart.querySelector("svg")) chart.textContent = still ? `Computing: ${points.size} of the first ${rounds[0].length} loads …` : "";
  }
}

const policyName = (p) => p === "dynamic" ? { name: "dynamic", of: "dynamic" } :
  p === "fcfs" ? { name: "rigid jobs in order (fcfs)", of: "rigid" } :
  p.startsWith("static") ? { name: "best static split, K = " + p.split(":")[1], of: "static" } : { name: "with the cooldown", of: "cooldown" };

function drawCurves() {
  if (!drawable()) return;
  $("curve-approximate").hidden = !coarse;
  const all = [...points.values()].sort((a, b) => a.load - b.load);
  const line = (of) => all.filter((p) => of(p) > 0).map((p) => [p.load, of(p)]);
  const response = (r) => r && r.stable ? r.measures.mean_response_time : 0;
  const dynamic = row("dynamic"), best = row("static:" + last.best), with_ = last.cooldown;
  const common = { load: values.load, toLoad };
  curveChart($("chart-ratio"), { ...common, height: 260, log: true, ticks: logTicks,
    range: (lo, hi) => [Math.min(lo, 0.9) / 1.1, Math.max(hi, 1.1) * 1.1], format: (v, more) => digits(v, more ? 4 : 3) + "×",
    versus: { at: 1, plain: coarse > 0, above: { name: "dynamic partitioning faster", of: "dynamic" }, below: { name: "static split faster", of: "static" } },
    lines: [{ name: rigid() ? "static" : "", of: "ink", now: last.ratio, dashed: coarse ? "6 5" : undefined, points: line((p) => p.ratio),
      note: (at) => points.get(at).partitions ? `, best K = ${points.get(at).partitions}` : "" },
    ...(rigid() ? [{ name: "rigid", of: "rigid", now: last.rigid, points: line((p) => p.rigid_ratio) }] : [])],
    label: `Ratio of mean response times over the load; at load ${values.load} it is ${last.ratio ? digits(last.ratio, 3) : "undefined"}` });
  const lines = [{ name: "dynamic", of: "dynamic", now: response(dynamic), points: line((p) => p.dynamic * model.seconds) },
    { name: "best static", of: "static", now: response(best), points: line((p) => p.static * model.seconds),
      note: (at) => `, K = ${points.get(at).partitions}` }];
  if (rigid()) lines.push({ name: "rigid", of: "rigid", now: response(rigid()), points: line((p) => p.rigid * model.seconds) });
  if (with_ && with_.result) lines.push({ name: "cooldown", of: "cooldown", now: response(with_.result), points: [] });
  for (const l of lines) l.now *= model.seconds;
  curveChart($("chart-response"), { ...common, log: true, ticks: timeTicks, lines,
    range: (lo, hi) => [lo / 1.15, Math.min(hi, 60 * lo) * 1.1], format: duration,
    label: "Mean response times over the load, of dynamic partitioning and of the best static split" });
  curveChart($("chart-repartition"), { ...common, ticks: linearTicks, range: (lo, hi) => [0, Math.max(0.02, hi * 1.08)],
    format: (v) => digits(100 * v, 3) + " %",
    lines: [{ name: "", of: "dynamic", now: dynamic && dynamic.measures.probability_repartition, points: all.filter((p) => p.dynamic).map((p) => [p.load, p.repartitioned || 0]) }],
    label: "Share of time in repartitions over the load" });
}

const row = (policy) => last.results.find((r) => r.policy === policy);

function showDecision(d) {
  const kept = last && last.cooldown;
  last = d;
  if (values.cooldown > 0) last.cooldown = kept;
  document.querySelector(".answer").dataset.winner = d.winner;
  $("sentence").textContent = d.sentences.join(" ");
  $("figures").hidden = false;
  const about = d.approximate ? "≈ " : "";
  const time = (r) => !r ? "not solved" : r.stable ? about + seconds(r.measures.mean_response_time) : "unstable";
  const dynamic = row("dynamic");
  $("figure-dynamic").textContent = time(dynamic);
  $("name-static").textContent = "best static split" + (d.best ? ", K = " + d.best : "");
  $("figure-static").textContent = d.best ? time(row("static:" + d.best)) : "unstable";
  $("figure-ratio").textContent = d.ratio ? about + digits(d.ratio, 3) : "–";
  $("figure-rigid").parentElement.hidden = $("figure-rigid-ratio").parentElement.hidden = !rigid();
  $("figure-rigid").textContent = time(rigid());
  $("figure-rigid-ratio").textContent = d.rigid ? about + digits(d.rigid, 3) : "–";
  $("figure-jobs").textContent = jobsAnHour();
  $("ratio-about").textContent = (rigid() ? "as under the best static split, and as rigid jobs in their order" : "as under the best static split") +
    ", by load; above 1 dynamic partitioning is faster. Drag to set the load.";
  for (const box of document.querySelectorAll(".control")) box.show();
  const share = dynamic && dynamic.measures.probability_repartition;
  $("figure-repartitions").textContent = dynamic && dynamic.stable ? digits(100 * (share || 0), 2) + " %" : "–";
  $("command").textContent = "partwise solve model.yaml" + (values.cooldown > 0 ? ` --policy dynamic --policy static --policy smoothing:${values.cooldown}` : "");
  $("model").textContent = d.file;
  $("save").href = "data:application/yaml," + encodeURIComponent(d.file);
  showTables();
  if (drawable()) drawCurves();
  else for (const chart of document.querySelectorAll(".charts .chart")) chart.classList.add("stale");
  $("gantt").classList.add("stale");
}

const columns = [["mean_response_time", "response", seconds], ["mean_waiting_time", "waiting", seconds], ["mean_jobs", "jobs", (v) => digits(v, 4)],
  ["utilization", "utilization", (v) => digits(100 * v, 3) + " %"], ["probability_repartition", "repartitioning", (v) => digits(100 * v, 2) + " %"]];

function cells(tag, texts, name) {
  const tr = document.createElement("tr");
  tr.className = name || "";
  for (const text of texts) {
    const cell = document.createElement(tag);
    cell.textContent = typeof text === "number" ? text.toPrecision(10) : text;
    if (typeof text === "number") cell.title = String(text); // all digits
    if (tag === "th") cell.scope = "col";
    tr.append(cell);
  }
  return tr;
}

function showTables() {
  const shown = last.cooldown && last.cooldown.result ? [last.results[0], last.cooldown.result, ...last.results.slice(1)] : last.results;
  const about = last.approximate ? ", approximately" : "";
  const body = [cells("th", ["policy" + about, ...columns.map((c) => c[1])])];
  for (const r of shown) {
    const name = r.partitions && r.partitions === last.best ? "best" : r.policy === "dynamic" ? "first" : "";
    body.push(cells("td", [r.policy, ...columns.map(([key, , format], i) =>
      r.stable ? (key in r.measures ? format(r.measures[key]) : "") : i === 0 ? "unstable" : "")], name));
  }
  $("policies").replaceChildren(...body);
  const pair = shown.filter((r) => r.stable && (!r.partitions || r.partitions === last.best));
  const keys = [...new Set(pair.flatMap((r) => Object.keys(r.measures)))];
  $("measures").replaceChildren(cells("th", ["measure" + about, ...pair.map((r) => r.policy)]),
    ...keys.map((k) => cells("td", [k, ...pair.map((r) => k in r.measures ? r.measures[k] : "")])),
    ...(about ? [] : [cells("td", ["digits that are certain", ...pair.map((r) => String(r.digits))])]));
}

// The policy with a cooldown has a larger chain: it is solved aside, and what is no longer asked for is broken off.
let pause, clock, asked = "";
function askAside() {
  const q = question({ kind: "cooldown", cooldown: values.cooldown }), key = JSON.stringify(q);
  if (key === asked) return;
  asked = key;
  clearTimeout(pause);
  clearInterval(clock);
  aside.stop();
  showCooldown(null);
  if (values.cooldown === 0) return;
  pause = setTimeout(async () => {
    const begun = Date.now();
    clock = setInterval(() => note(`Solving the chain with the cooldown … ${Math.round((Date.now() - begun) / 1000)} s`), 1000);
    const answer = await aside.ask(q);
    if (key !== asked) return;
    clearInterval(clock);
    showCooldown(answer);
  }, 150);
}

function note(text) {
  $("cooldown-sentence").hidden = !text;
  $("cooldown-sentence").textContent = text;
}

function showCooldown(answer) {
  note(!values.cooldown ? "" : !answer ? "Solving the chain with the cooldown …" : answer.error || answer.sentence);
  const box = $("figure-cooldown").parentElement;
  box.hidden = !values.cooldown;
  $("figure-cooldown").textContent = !answer || answer.error ? "…" : answer.result.stable ? seconds(answer.result.measures.mean_response_time) : "unstable";
  if (!last) return;
  last.cooldown = values.cooldown && answer && !answer.error ? answer : null;
  showTables();
  drawCurves();
}

// where returns where the model has the sliders.
function where() {
  const known = model.sliders.filter((slider) => slider.value !== null);
  return Object.fromEntries(known.map((slider) => [slider.key, slider.value]));
}

// The state is in the address behind #: what differs from the model.
function remember() {
  const words = new URLSearchParams(), was = where();
  for (const key of Object.keys(values)) if (values[key] !== was[key]) words.set(key, values[key]);
  const text = words.toString();
  if (location.hash.slice(1) !== text) history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
}

// An address may say anything: what no slider can take is ignored.
function recall() {
  values = where();
  for (const [key, text] of new URLSearchParams(location.hash.slice(1))) {
    const slider = model.sliders.find((s) => s.key === key), number = Number(text);
    if (slider && takes(slider, number)) values[key] = number;
  }
}

function takes(slider, v) {
  return Number.isFinite(v) && !(v < slider.least) && !(v > slider.most) && (!slider.whole || Number.isInteger(v));
}

function listen() {
  $("reset").onclick = () => { values = where(); changed(); };
  $("link").onclick = () => copy($("link"), location.href);
  $("copy").onclick = () => copy($("copy"), $("model").textContent);
  addEventListener("hashchange", () => { recall(); changed(); });
  let resized;
  addEventListener("resize", () => {
    clearTimeout(resized);
    resized = setTimeout(() => {
      drawCurves();
      if (schedule) ganttChart($("gantt"), schedule, policyName, model.seconds);
    }, 100);
  });
}

async function copy(button, text) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch (e) {
    button.textContent = "Copying is not allowed here";
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}

async function begin() {
  if (!("DecompressionStream" in window) || !("WebAssembly" in window)) throw new Error("this browser is too old for the page");
  const module = await compiled();
  solver = new Solver(module);
  later = new Solver(module);
  aside = new Solver(module);
  const c = await solver.ask({ kind: "controls", model: start.model });
  if (c.error) throw new Error(c.error);
  model = c;
  recall();
  makeControls();
  listen();
  changed();
}

begin().catch((e) => {
  console.error(e);
  $("sentence").textContent = "The solver could not be started.";
  fail("A browser of 2023 or later, with WebAssembly, is needed.");
});
})();
