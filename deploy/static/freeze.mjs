// node freeze.mjs FOLDER: compiles the Python in FOLDER/pack/*.zip and takes the image of a Python that has imported the app.
//
// It writes FOLDER/memory.bin, FOLDER/imported.json (the files that are in it) and the compiled archives. A browser
// that takes over the image imports nothing: it needs a sixth of the computing.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { link } from "./image.js";

// Node would print the line of Pyodide's program, which is a megabyte long.
process.on("uncaughtException", (error) => { process.stderr.write(`${error.message}\n`); process.exit(1); });
const folder = resolve(process.argv[2]);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide/pyodide.mjs`));
const indexURL = `${folder}/pyodide/`;
const read = (path) => new Uint8Array(readFileSync(path));

const compiler = await loadPyodide({ indexURL });
for (const name of readdirSync(`${folder}/pack`).filter((name) => name.endsWith(".zip"))) {
  compiler.FS.writeFile("/in.zip", read(`${folder}/pack/${name}`));
  // Third parties' sources are not needed beside what they are compiled to; those of the app are read by stlite.
  compiler.globals.set("keep", name === "app.zip");
  compiler.runPython(`
import importlib.util, io, marshal, zipfile
def compiled(data, name):
    code = compile(data, name, "exec", dont_inherit=True)
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + importlib.util.source_hash(data) + marshal.dumps(code)
with zipfile.ZipFile("/in.zip") as given, zipfile.ZipFile("/out.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
    def put(name, data):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        made.writestr(entry, data)
    for name in given.namelist():
        data = given.read(name)
        if not name.endswith(".py"):
            put(name, data)
        elif keep:
            put(name, data)
            folder, _, file = name.rpartition("/")
            put(f"{folder}/__pycache__/{file[:-3]}.cpython-313.pyc".lstrip("/"), compiled(data, f"/home/pyodide/{name}"))
        else:
            put(name + "c", compiled(data, name))
`);
  writeFileSync(`${folder}/${name}`, compiler.FS.readFile("/out.zip"));
}

/** Imports Streamlit and the app. */
function open(pyodide) {
  pyodide.FS.writeFile("/lib/python.zip", read(`${folder}/python.zip`));
  pyodide.unpackArchive(read(`${folder}/numpy.zip`), "zip", { extractDir: "/lib/python3.13/site-packages" });
  pyodide.unpackArchive(read(`${folder}/app.zip`), "zip", { extractDir: "/home/pyodide" });
  return pyodide.runPython(`
import gc, importlib, json, sys
sys.path.insert(0, "/lib/python.zip")
import headcount_boot
headcount_boot.prepare()
importlib.invalidate_caches()  # they hold the archive open, and files are not in the image
gc.collect()
json.dumps(sorted({place for module in list(sys.modules.values())
    for place in (getattr(module, "__file__", None), getattr(module, "__cached__", None)) if place}))
`);
}

// Once to learn which libraries are wanted, then with these linked.
await import(pathToFileURL(`${folder}/pyodide/pyodide.asm.js`));
const first = await loadPyodide({ indexURL });
const wanted = JSON.parse(open(first)).filter((name) => name.endsWith(".so"));
const libraries = wanted.map((name) => [name, first.FS.readFile(name)]);
link(Promise.all(libraries.map(async ([name, bytes]) => [name, await WebAssembly.compile(bytes)])));
const pyodide = await loadPyodide({ indexURL, _makeSnapshot: true });
const functions = pyodide._module.wasmTable.length;
writeFileSync(`${folder}/imported.json`, open(pyodide));
// A function that got its number while Python ran would not have it in another Python.
if (pyodide._module.wasmTable.length !== functions) throw new Error("An import has put functions into Python's table: they are not in the image.");
writeFileSync(`${folder}/memory.bin`, pyodide.makeMemorySnapshot());
process.exit(0);
