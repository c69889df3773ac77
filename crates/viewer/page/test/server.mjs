// The command as a server of a trace, or of two that are compared.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";

const START_MS = 20_000;

/** Starts it, and resolves once it has told its address. */
export async function serve(binary, ...traces) {
  const child = spawn(binary, ["view", "--no-open", ...traces], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((done) => child.once("exit", done));
  let printed = "";
  let complained = "";
  child.stderr.on("data", (text) => (complained += text));
  const url = await new Promise((found, failed) => {
    const fail = (why) => failed(new Error(`${binary} view ${traces.join(" ")}: ${why}\n${printed}${complained}`));
    const timer = setTimeout(() => fail("tells no address"), START_MS);
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code) => fail(`ended with ${code}`));
    child.stdout.on("data", (text) => {
      printed += text;
      const address = /http:\/\/127\.0\.0\.1:\d+\/[^\s]+/.exec(printed)?.[0];
      // The line may not be whole yet.
      if (address === undefined || !printed.slice(printed.indexOf(address)).includes("\n")) return;
      clearTimeout(timer);
      found(address);
    });
  });
  return {
    url,
    /** The most memory that it had so far, in MiB. */
    async peakMiB() {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
