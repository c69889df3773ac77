// A page of one task, or of one user task, has what was annotated in it as a tree, each leading to its time on the timeline.
import assert from "node:assert/strict";
import { isAccessible } from "../axe.mjs";
import { open, parameter, settled, text } from "../shown.mjs";

export async function trees({ page, planted }) {
  await open(page, planted, "#page=task&id=user:1");
  assert.match(await text(page, ".tree > ul > li"), /^0\.020001 s user task request 2 ms task:101 main\.handle/);
  assert.match(await text(page, ".tree li li"), /^0\.020002 s region work 1\.9 ms/);
  assert.match(await text(page, ".tree li li li"), /^0\.021499 s logged status: 200/);
  await isAccessible(page, "a user task");
  await page.click(".tree li li li a");
  await settled(page);
  assert.equal(await parameter(page, "log"), "task:101@21499000");
  assert.match(await text(page, ".detail .headline"), /^Logged at /);
  await page.goto(`${planted}#page=task&id=task:101`);
  await settled(page);
  assert.match(await text(page, ".tree"), /user:1 request 2 ms .*region work .*logged status: 200/);
  await page.click(".tree li li a");
  await settled(page);
  assert.equal(await parameter(page, "sel"), "regions:101.0/0");
  assert.match(await text(page, ".detail .headline"), /1\.9 ms open: work/);
}
