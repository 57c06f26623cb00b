// The worker: takes the compiled solver once, then questions, and answers them in their order.
"use strict";
let ready;
onmessage = async (event) => {
  const { id, module, question } = event.data;
  if (module) {
    const go = new Go();
    ready = WebAssembly.instantiate(module, go.importObject).then((instance) => { go.run(instance); });
    return;
  }
  try {
    await ready;
    postMessage({ id, answer: JSON.parse(partwise(JSON.stringify(question))) });
  } catch (e) {
    postMessage({ id, answer: { error: String(e) } });
  }
};
