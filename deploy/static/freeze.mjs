// node freeze.mjs FOLDER: compiles the Python in FOLDER/pack/*.zip and takes the image of a Python that has imported Streamlit.
//
// A browser that takes over the image starts in a quarter of the time. It holds no compiled library: where such a library lies in
// memory is not in it, so NumPy and what imports it are imported afterwards.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

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

const pyodide = await loadPyodide({ indexURL, _makeSnapshot: true });
pyodide.FS.writeFile("/lib/python.zip", read(`${folder}/python.zip`));
pyodide.globals.set("template", readFileSync(`${folder}/pack/template.json`, "utf8"));
pyodide.runPython(`
import gc, importlib, sys
sys.path.insert(0, "/lib/python.zip")
import headcount_boot
headcount_boot.prepare(template)
del template
importlib.invalidate_caches()  # they hold the archive open, and files are not in the image
gc.collect()
`);
writeFileSync(`${folder}/memory.bin`, pyodide.makeMemorySnapshot());
process.exit(0);
