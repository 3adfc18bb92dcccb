// A page of 100,000 trials stays usable. The limits only detect a page that hangs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { charts, choose, launch, open, screenshot, table } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test("100,000 trials are drawn, filtered and listed", { timeout: 300_000 }, async (context) => {
  const since = performance.now();
  const { page, complaints } = await open(browser, "many");
  context.diagnostic(`drawn after ${Math.round(performance.now() - since)} ms`);
  const points = (chart) => chart.series.filter(({ type }) => type === "scatter").reduce((sum, { data }) => sum + data.length, 0);
  const all = points((await charts(page, "timeline"))[0]);
  assert.ok(all >= 100_000);
  assert.equal((await table(page, "timeline")).length, 50);
  await page.click("#timeline details.table .more:visible");
  assert.equal((await table(page, "timeline")).length, 550);
  const filtering = performance.now();
  await choose(page, "class", "durable at close");
  context.diagnostic(`filtered after ${Math.round(performance.now() - filtering)} ms`);
  const some = points((await charts(page, "timeline"))[0]);
  assert.ok(some > 0 && some < all);
  await screenshot(page, "many", {});
  assert.deepEqual(complaints, []);
  await page.close();
});
