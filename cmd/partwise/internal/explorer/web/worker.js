// The worker: takes the compiled solver once, then questions, and answers them in their order. If the solver ends, because
// there is no memory left, it says so and is good for nothing more.
"use strict";
let ready, ended = false;
onmessage = async (event) => {
  const { id, module, question } = event.data;
  if (module) {
    const go = new Go();
    ready = WebAssembly.instantiate(module, go.importObject).then((instance) => { go.run(instance).then(() => { ended = true; }); });
    return;
  }
  let answer;
  try {
    await ready;
    answer = JSON.parse(partwise(JSON.stringify(question)));
  } catch (e) {
    console.error(e);
    answer = { error: ended ? "the solver ended; this model may be too large for a page" : "the solver failed; move a slider to ask again" };
  }
  await null; // the end of the solver is known by then
  postMessage({ id, answer, ended });
};
