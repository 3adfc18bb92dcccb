// Filters apply to charts and to tables.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { charts, choose, data, launch, open, table, unfold } from "./browser.mjs";

let browser;
let page;
let complaints;
before(async () => {
  browser = await launch();
  ({ page, complaints } = await open(browser, "usual"));
});
beforeEach(async () => {
  for (const name of ["place", "class", "workload", "run"]) await choose(page, name, "all");
});
after(() => browser.close());

async function titles(section) {
  return (await charts(page, section)).map(({ title }) => title);
}

test("by file system", async () => {
  const before = (await table(page, "rates")).length;
  await choose(page, "place", "tmpfs");
  assert.deepEqual(await titles("rates"), ["Blocks, durability none, 954 MiB · tmpfs"]);
  const rows = await table(page, "rates");
  assert.ok(rows.length < before);
  assert.ok(rows.every((row) => row[3] === "tmpfs"));
  assert.match(await page.textContent("#filters .count"), /^120 of 906 trials shown/);
  assert.equal(await page.$$eval("#environment thead th", (all) => all.length), 2);
  assert.equal(await page.$$eval("#answers li", (all) => all.length), 1);
});

test("by durability class", async () => {
  await choose(page, "class", "durable at close");
  for (const section of ["rates", "blocks", "cost", "latency", "device"])
    assert.deepEqual(await titles(section), ["Text, durable at close, 954 MiB · ext4 on vda"], section);
  assert.ok((await table(page, "timeline")).every((row) => row[4] === "at_close"));
  const [timeline] = await charts(page, "timeline");
  const points = timeline.series.filter(({ type }) => type === "scatter").reduce((sum, { data }) => sum + data.length, 0);
  assert.equal(points, 168);
});

test("by workload; what has none of it says why it is empty", async () => {
  await choose(page, "workload", "lines");
  assert.equal((await titles("sweep")).length, 2);
  assert.match(await page.textContent("#rates .empty"), /line by line/);
  await choose(page, "workload", "text");
  assert.match(await page.textContent("#sweep .empty"), /belong to “lines”/);
  assert.ok((await table(page, "cost")).every((row) => row[0] === "text"));
});

test("by run, whose own medians and answers are shown", async () => {
  const label = await page.$eval("#filter-run option:nth-child(3)", (option) => option.textContent);
  const before = await charts(page, "rates");
  await choose(page, "run", label);
  const now = await charts(page, "rates");
  assert.deepEqual(now.map(({ title }) => title), ["Text, durability none, 954 MiB · ext4 on vda", "Blocks, reading, cold, 954 MiB · ext4 on vda"]);
  assert.notDeepEqual(now[0].series[0].data, before[0].series[0].data);
  await unfold(page, "history");
  assert.match(await page.textContent("#history .empty"), /single run/);
  assert.ok((await table(page, "timeline")).every((row) => row[1] === "2"));
  const { verdicts, runs } = await data(page);
  const own = verdicts.filter(({ run }) => runs[run].id === 2).map(({ headline }) => headline);
  assert.equal(own.length, 2);
  assert.deepEqual((await page.$$eval("#answers .text", (all) => all.map((text) => text.textContent))).sort(), own.sort());
  assert.match(await page.textContent("#answers"), /of run 2 alone/);
});

test("together, down to nothing", async () => {
  await choose(page, "place", "tmpfs");
  await choose(page, "class", "durable at close");
  assert.match(await page.textContent("#rates .empty"), /No trial passes the filters\./);
  assert.equal((await table(page, "rates")).length, 0);
  await choose(page, "class", "all");
  assert.equal((await titles("rates")).length, 1);
});

test("stand in the address, with what is open and the task that is drawn", async () => {
  await choose(page, "place", "ext4 on vda");
  await choose(page, "class", "durable at close");
  await page.click("#answers .task");
  await page.$eval("#latency details", (fold) => { fold.open = true; });
  await page.waitForFunction(() => /open=.*latency/.test(location.hash));
  const hash = await page.evaluate(() => location.hash);
  assert.match(hash, /place=ext4%20on%20vda&class=at_close&task=/);
  const { page: other, complaints: others } = await open(browser, "usual", { hash });
  assert.equal(await other.inputValue("#filter-class"), "at_close");
  assert.equal(await other.inputValue("#filter-place"), "ext4 on vda");
  assert.equal(await other.$eval("#latency details", (fold) => fold.open), true);
  assert.equal(await other.textContent("#filters .count"), await page.textContent("#filters .count"));
  await other.click("#contents a[data-part=cost]");
  await other.waitForFunction(() => document.querySelector("#cost details").open);
  assert.equal(await other.inputValue("#filter-class"), "at_close", "a link of the contents keeps the filters");
  await other.waitForFunction(() => document.querySelector("#cost").getBoundingClientRect().top < innerHeight);
  assert.deepEqual(others, []);
  await other.close();
  await page.$$eval("section details[open]", (all) => all.forEach((fold) => { fold.open = false; }));
});

test("an address of another store selects nothing that is not there", async () => {
  const { page: other, complaints: others } = await open(browser, "usual", { hash: "#class=quick&run=99&open=none,cost&task=%zz&elsewhere" });
  assert.equal(await other.inputValue("#filter-class"), "all");
  assert.match(await other.textContent("#filters .count"), /^906 of 906/);
  assert.equal((await charts(other, "answers")).length, 1);
  assert.deepEqual(others, []);
  await other.close();
});

test("without a complaint", () => assert.deepEqual(complaints, []));
