// Traces made from others, for a check.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** The bytes of a trace, unpacked. */
export async function unpacked(path) {
  const bytes = await readFile(path);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

/** Calls `use` with the path of a file of these bytes, which is gone afterwards. */
export async function withFile(name, bytes, use) {
  const folder = await mkdtemp(join(tmpdir(), "exectrace-page-"));
  try {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
