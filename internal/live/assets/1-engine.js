// The engine is heddle in WebAssembly, in a worker: it is loaded when it is first asked something, and ended when an answer takes too long.
// It comes as a script that calls heddleWasm, and the worker as a blob, since pages opened from a disk can fetch nothing.

const root = document.documentElement.dataset.root || '';

const engine = {worker: null, parts: null, module: null, queue: [], busy: null, count: 0};

// workerMain is the source of the worker, behind wasm_exec.js.
function workerMain() {
  self.onmessage = async (e) => {
    const m = e.data;
    if (m.method) {
      self.postMessage({id: m.id, answer: self.heddleCall(m.method, m.request)});
      return;
    }
    try {
      let module = m.module;
      if (!module) {
        const stream = new Blob([m.packed]).stream().pipeThrough(new DecompressionStream('gzip'));
        module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
        self.postMessage({module});
      }
      const go = new self.Go();
      self.heddleReady = () => self.postMessage({ready: true});
      const ended = go.run(await WebAssembly.instantiate(module, go.importObject));
      ended.then(() => self.postMessage({died: 'the engine has ended'}), (err) => self.postMessage({died: String(err)}));
    } catch (err) {
      self.postMessage({died: String(err)});
    }
  };
}

// unpackUnits are the bytes of a text whose units have 15 bits each, the lowest first.
function unpackUnits(size, text) {
  const bytes = new Uint8Array(size);
  let bits = 0, n = 0, at = 0;
  for (let i = 0; i < text.length; i++) {
    bits |= (text.charCodeAt(i) - 0x3400) << n;
    for (n += 15; n >= 8 && at < size; n -= 8) {
      bytes[at++] = bits & 255;
      bits >>>= 8;
    }
  }
  return bytes;
}

// loadParts loads the script that holds the engine: what Go needs in a browser, and the packed code.
function loadParts() {
  if (engine.parts) return engine.parts;
  engine.parts = new Promise((resolve, reject) => {
    window.heddleWasm = (exec, size, text) => resolve({exec, packed: unpackUnits(size, text)});
    const s = document.createElement('script');
    s.src = root + 'heddle.wasm.js';
    s.onerror = () => {
      engine.parts = null;
      reject(new Failure({message: 'heddle.wasm.js cannot be loaded: the live part of this site is missing'}));
    };
    document.head.append(s);
  });
  return engine.parts;
}

// A Failure is an error that the engine answered, or why it cannot.
class Failure extends Error {
  constructor(error) {
    super(error.message);
    this.hint = error.hint || '';
    this.register = error.register || '';
    this.errors = error.errors || [];
    this.stopped = !!error.stopped;
  }
}

async function startWorker() {
  if (typeof DecompressionStream === 'undefined' || typeof WebAssembly === 'undefined') {
    throw new Failure({message: 'this browser cannot run WebAssembly, or cannot unpack it', hint: 'browsers of 2023 and later can'});
  }
  const parts = await loadParts();
  const url = URL.createObjectURL(new Blob([parts.exec, '\n(', String(workerMain), ')();'], {type: 'text/javascript'}));
  const w = new Worker(url);
  URL.revokeObjectURL(url);
  engine.worker = w;
  await new Promise((resolve, reject) => {
    w.onmessage = (e) => {
      const m = e.data;
      if (m.module) engine.module = m.module;
      else if (m.ready) resolve();
      else if (m.died) {
        endWorker(new Failure({message: m.died}));
        reject(new Failure({message: 'the engine does not start: ' + m.died}));
      } else if (engine.busy && engine.busy.id === m.id) answered(m.answer);
    };
    w.onerror = (e) => {
      e.preventDefault();
      const f = new Failure({message: 'the engine does not start: ' + (e.message || 'the browser refuses the worker')});
      endWorker(f);
      reject(f);
    };
    if (engine.module) w.postMessage({module: engine.module});
    else w.postMessage({packed: parts.packed});
  });
}

// endWorker ends the worker and fails what it was asked.
function endWorker(failure) {
  if (engine.worker) engine.worker.terminate();
  engine.worker = null;
  const b = engine.busy;
  engine.busy = null;
  if (b) {
    clearTimeout(b.timer);
    b.reject(failure);
  }
}

function answered(text) {
  const b = engine.busy;
  engine.busy = null;
  clearTimeout(b.timer);
  const a = JSON.parse(text);
  if (a.error) b.reject(new Failure(a.error));
  else b.resolve(a.result);
  next();
}

// call asks the engine. limit is how many milliseconds an answer may take, the start of the engine aside.
function call(method, request, limit = 10000) {
  return new Promise((resolve, reject) => {
    engine.queue.push({id: ++engine.count, method, request: JSON.stringify(request), limit, resolve, reject});
    next();
  });
}

let starting = false;

async function next() {
  if (engine.busy || starting || engine.queue.length === 0) return;
  if (!engine.worker) {
    starting = true;
    try {
      await startWorker();
    } catch (err) {
      const all = engine.queue.splice(0);
      for (const c of all) c.reject(err);
      return;
    } finally {
      starting = false;
    }
  }
  const c = engine.queue.shift();
  if (!c) return;
  engine.busy = c;
  c.timer = setTimeout(() => {
    endWorker(new Failure({message: `stopped: no answer after ${c.limit / 1000} s`, hint: 'does it end? Fewer steps or a smaller picture take less time', stopped: true}));
    next();
  }, c.limit);
  engine.worker.postMessage({id: c.id, method: c.method, request: c.request});
}

// stop ends what the engine is at.
function stop() {
  if (!engine.busy) return;
  endWorker(new Failure({message: 'stopped', stopped: true}));
  next();
}
