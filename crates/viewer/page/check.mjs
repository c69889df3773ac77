// Fails if the committed page is not what its sources make.
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPage } from "./build.mjs";

const committed = join(dirname(fileURLToPath(import.meta.url)), "dist");
const fresh = await mkdtemp(join(tmpdir(), "exectrace-page-"));
try {
  await buildPage(fresh);
  const names = new Set([...(await readdir(fresh)), ...(await readdir(committed))]);
  for (const name of names) {
    const texts = await Promise.all([fresh, committed].map((folder) => readFile(join(folder, name)).catch(() => null)));
    if (texts[0] === null || texts[1] === null || !texts[0].equals(texts[1])) {
      console.error(`crates/viewer/page/dist/${name} is stale: run \`npm run build\` in crates/viewer/page and commit`);
      process.exitCode = 1;
    }
  }
} finally {
  await rm(fresh, { recursive: true });
}
