// Bundles the page: `node build.mjs FOLDER` writes index.html, app.js and app.css, and export.html, which the other two are put into
// when a page is to stand alone. The same sources give the same bytes.
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = dirname(fileURLToPath(import.meta.url));

// What stands in the bundle is others' work, too: their licences demand to come along.
const BUNDLED = ["preact", "uplot"];

/** Writes the built page into `folder`. */
export async function buildPage(folder) {
  await mkdir(folder, { recursive: true });
  const licences = await Promise.all(BUNDLED.map(licence));
  await build({
    absWorkingDir: page,
    entryPoints: [
      { in: "src/main.tsx", out: "app" },
      { in: "src/app.css", out: "app" },
    ],
    outdir: folder,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    footer: { js: `/*!\n${licences.join("\n\n")}\n*/` },
    logLevel: "warning",
  });
  await copyFile(join(page, "src", "index.html"), join(folder, "index.html"));
  const template = await readFile(join(page, "src", "export.html"), "utf8");
  await writeFile(join(folder, "export.html"), template.replace("{policy}", await policy(folder)));
}

/** What a page that stands alone may do: run this script and no other, in this style, and ask nobody for anything. */
async function policy(folder) {
  const [script, style] = await Promise.all(["app.js", "app.css"].map((name) => readFile(join(folder, name), "utf8")));
  if (/<!--|<\/?script/i.test(script) || /<\/style/i.test(style)) throw new Error("the bundle has markup that would end it in a page");
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const own = `script-src ${hash(script)}; style-src ${hash(style)}`;
  return `default-src 'none'; ${own}; img-src data:; base-uri 'none'; form-action 'none'`;
}

async function licence(name) {
  const text = await readFile(join(page, "node_modules", name, "LICENSE"), "utf8");
  return `${name}: ${text.trim().replaceAll("*/", "* /")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error("usage: node build.mjs FOLDER");
  await buildPage(join(process.cwd(), folder));
}
