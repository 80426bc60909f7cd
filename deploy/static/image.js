// What freeze.mjs (where the image of Python is taken) and start.js (where a browser takes it over) must do alike.

/** The files in what build.py's `bundled` has written: four bytes with the length of the list, the list, the bytes one after the other.
 * @param {Uint8Array} bytes @returns {[string, Uint8Array][]} */
export function files(bytes) {
  const listed = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  let at = 4 + listed;
  return JSON.parse(new TextDecoder().decode(bytes.subarray(4, at))).map(([name, size]) => [name, bytes.subarray(at, (at += size))]);
}

/** Writes them; their names are paths from the root. */
export function write(FS, list) {
  for (const [name, bytes] of list) {
    FS.mkdirTree(name.slice(0, name.lastIndexOf("/")) || "/");
    FS.writeFile(name, bytes);
  }
}

/** From now on each Python starts with these compiled libraries linked, before its memory holds anything: the same libraries in the
 * same order lie at the same places, so that an image taken with them fits a Python that has them. Pyodide alone links a library when
 * it is imported, wherever there is room.
 * @param {Promise<[string, WebAssembly.Module][]>} libraries by path; pyodide.asm.js has been loaded */
export function link(libraries) {
  const create = globalThis._createPyodideModule;
  globalThis._createPyodideModule = (settings) => new Promise((done, failed) => {
    settings.preRun.push((module) => {
      module.addRunDependency("libraries");
      linked(module).then(() => module.removeRunDependency("libraries"), failed);
    });
    create(settings).then(done, failed);
  });
  async function linked(module) {
    for (const [name, program] of await libraries) {
      const options = { loadAsync: true, nodelete: true, allowUndefined: true };
      module.newDSO(name, undefined, await module.loadWebAssemblyModule(program, options, name, {}));
    }
    module.reportUndefinedSymbols();
  }
}
