// Ten questions about a service, each answered in at most three actions from the first screen, without a deep link. An action is a
// click, a key, or a text that is typed. What is asked for was planted: see `planted.mjs`. One question is about two traces.
import assert from "node:assert/strict";
import { withFile } from "../files.mjs";
import { steadyTrace } from "../planted.mjs";
import { serve } from "../server.mjs";
import { open, settled, text } from "../shown.mjs";

const MOST_ACTIONS = 3;

/** Each with what is done to learn it; what is asserted is the answer. */
const QUESTIONS = [
  {
    asked: "Which request was the slowest, and why?",
    async answer(person) {
      assert.match(await person.sees(".worst li:first-child"), /212 ms user:13/);
      await person.clicks(".worst li:first-child a");
      await person.clicks(".detail .ask");
      assert.match(await person.sees(".path li:first-child"), /199 ms .*main\.\(\*Store\)\.compact waiting: sleep/);
    },
  },
  {
    asked: "Who held the lock?",
    async answer(person) {
      await person.clicks("text=tasks waited for a lock");
      assert.match(await person.sees(".finding.chosen .more"), /Because of main\.\(\*Store\)\.compact store\.go:78/);
    },
  },
  {
    asked: "Which worker was hogged, and by what line?",
    async answer(person) {
      await person.types("main.spin");
      await person.presses("Enter");
      await person.clicks("td a:has-text('task:77')");
      assert.match(await person.sees(".lives"), /running.*worker:2.*main\.spin spin\.go:20/);
    },
  },
  {
    asked: "What was the collector's share at the worst moment?",
    async answer(person) {
      await person.presses("7");
      const told = await person.sees(".mmu select");
      assert.match(told, /10 ms: 50 %/, "half of any 10 ms is left, so half is the collector's");
    },
  },
  {
    asked: "What did goroutine 113 wait for?",
    async answer(person) {
      await person.types("task:113");
      await person.presses("Enter");
      assert.match(await person.sees(".lives table"), /200 ms waiting: sync.*sync\.\(\*Mutex\)\.Lock mutex\.go:90/);
    },
  },
  {
    asked: "What ran on worker 2 at 1.2 s?",
    async answer(person) {
      await person.types("worker:2 1.2s");
      await person.presses("Enter");
      assert.match(await person.sees(".detail"), /300 ms running goroutine task:77 main\.spin/);
    },
  },
  {
    asked: "Which code burns most CPU inside requests?",
    async answer(person) {
      await person.presses("3");
      await person.clicks("td a:has-text('request')");
      await person.clicks("a:has-text('CPU inside')");
      assert.match(await person.sees(".data-table tbody tr"), /150 ms 75 % .* main\.encode/);
    },
  },
  {
    asked: "Is data missing?",
    async answer(person) {
      assert.match(await person.sees(".trust [role=status]"), /whole/);
    },
  },
  {
    asked: "What woke goroutine 113?",
    async answer(person) {
      await person.clicks("text=tasks waited for a lock");
      assert.match(await person.sees(".detail dl"), /woken by task:50 main\.\(\*Store\)\.compact/);
    },
  },
];

/** What one trace alone cannot tell: in the newer of two each request takes 3 ms longer. */
const DIFFERENCE = {
  asked: "How does the latency of requests differ from before?",
  async answer(person) {
    await person.presses("8");
    assert.match(await person.sees(".data-table tr:has-text('p50')"), /user task request .*p50.* 2 ms 5 ms 2\.50×/);
  },
};

export async function questions({ page, binary, planted }) {
  for (const question of QUESTIONS) await ask(page, planted, question);
  await withFile("before.trace", steadyTrace(0), (before) =>
    withFile("now.trace", steadyTrace(3_000_000), (now) =>
      about(binary, [before, now], async (url) => {
        await ask(page, url, DIFFERENCE);
        await filtersDifferences(page);
      }),
    ),
  );
}

/** Of what is compared a filter leaves what it means: of user tasks and regions those of a name. */
async function filtersDifferences(page) {
  const names = () => page.$$eval(".data-table tbody .text .name", (found) => found.map(({ textContent }) => textContent));
  const user = (all) => all.filter((name) => name === "request" || name === "work");
  assert.ok(user(await names()).includes("request"));
  await page.fill("#filter", 'name == "work"');
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await page.locator(".note.error").count(), 0);
  assert.ok(!user(await names()).includes("request"), "requests are left out");
}

async function about(binary, paths, use) {
  const server = await serve(binary, ...paths);
  try {
    await use(server.url);
  } finally {
    await server.stop();
  }
}

async function ask(page, url, { asked, answer }) {
  // The hash alone would not load the page anew.
  await page.goto("about:blank");
  await open(page, url);
  let actions = 0;
  const acted = async (action) => {
    actions += 1;
    await action();
    await settled(page);
  };
  const person = {
    clicks: (selector) => acted(() => page.click(selector)),
    presses: (key) => acted(() => page.keyboard.press(key)),
    /** Into the search, which a key opens: to type is one action. */
    types: (query) =>
      acted(async () => {
        await page.fill("#search", query);
        await page.waitForSelector(".hits a");
      }),
    sees: (selector) => text(page, selector),
  };
  try {
    await answer(person);
    assert.ok(actions <= MOST_ACTIONS, `${actions} actions`);
  } catch (error) {
    throw new Error(`${asked} ${error.message}`, { cause: error });
  }
}
