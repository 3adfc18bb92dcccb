// The page says what the verdict says, of the trials that are shown, and nothing else.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { charts, choose, data, launch, open, table, texts } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test("headings, tables and tooltips name the size of the trials that they show, not the largest of the run", async () => {
  const { page } = await open(browser, "early");
  const { groups, rows } = await data(page);
  assert.match(groups[0].task, /4 GiB/, "the run had another trial of 4 GiB");
  for (const section of ["answers", "rates", "blocks", "cost", "latency", "speed", "device"])
    for (const { title } of await charts(page, section)) assert.equal(title, "Text, durable at close, 954 MiB · ext4 on vda", section);
  assert.equal(await page.textContent("#answers .task"), "Text, durable at close, 954 MiB · ext4 on vda");
  assert.ok((await table(page, "rates")).every((row) => row[2] === "954 MiB"));
  assert.ok(rows.every(({ size }) => size === 1e9));
  assert.match(await page.evaluate(() => rateTip(shownRows()[0], [])), /[278] trials of 954 MiB/);
  await page.close();
});

test("files of several sizes are named by the smallest and the largest", async () => {
  const { page } = await open(browser, "early");
  const heading = await page.evaluate(() => {
    const [row, other] = shownRows();
    return [headingOf(report.groups[0], [{ ...row, least_size: 1 << 26, size: 1 << 28 }, other]), sizesOf([{ ...row, used: 0 }])];
  });
  assert.deepEqual(heading, ["Text, durable at close, 64 MiB to 954 MiB · ext4 on vda", ""]);
  await page.close();
});

test("a plan of few trials is the pick where its median is the best, and then nothing is sure", async () => {
  const { page } = await open(browser, "early");
  const { rows, groups } = await data(page);
  const pick = rows.find(({ standing }) => standing === "pick");
  assert.equal(pick.label, "uring 4 MiB");
  assert.ok(rows.every((row) => row === pick || row.disk[0] <= pick.disk[0]));
  assert.equal(groups[0].certain, false);
  assert.ok(groups[0].headline.includes(`use ${pick.label}: `));
  assert.match(groups[0].headline, /Not sure: 2 of at least 6 rounds\./);
  for (const section of ["answers", "rates", "cost"]) {
    const [{ words }] = await charts(page, section);
    assert.ok(words.includes(`▸ ${pick.label} is the verdict's pick`), `${section}: ${words}`);
    assert.doesNotMatch(words, /is the fastest|the cheapest/);
  }
  for (const section of ["rates", "cost"])
    for (const row of await table(page, section)) {
      const { standing, result } = rows.find(({ label }) => label === row[4]);
      const shown = result === "worse" ? "slower" : "may be as good";
      assert.equal(row.at(-1), { pick: "the pick", left_early: "left early, unproven" }[standing] ?? shown, row[4]);
    }
  await page.close();
});

test("the cost chart names the pick and all that may be as good, and no others", async () => {
  const { page } = await open(browser, "usual");
  const { rows, groups } = await data(page);
  const panels = await texts(page, "cost");
  const contests = groups.map((group, number) => ({ group, number })).filter(({ group }) => group.role === "contest");
  assert.equal(panels.length, contests.length);
  contests.forEach(({ group: { state }, number }, i) => {
    const written = panels[i].written.map(({ text }) => text);
    for (const { label, group, standing, result } of rows) {
      if (group !== number) continue;
      const name = standing === "pick" ? `▸ ${label}` : label;
      assert.equal(written.includes(name), state !== "failed" && (standing === "pick" || (/leading|slower/.test(standing) && result !== "worse")), `${label} (${standing})`);
    }
  });
  await page.close();
});

test("of one run, standings are that run's, and a run that decides nothing picks nothing", async () => {
  const { page } = await open(browser, "runs");
  await choose(page, "run", await page.$eval("#filter-run option:nth-child(3)", (option) => option.textContent));
  const { verdicts, runs } = await data(page);
  const own = verdicts.find(({ run }) => runs[run].id === 2);
  assert.equal(own.state, "failed");
  assert.equal(await page.textContent("#answers .text"), own.headline);
  assert.match(await page.getAttribute("#answers li", "class"), /open/);
  const standings = (await table(page, "rates")).map((row) => row.at(-1));
  assert.deepEqual([...new Set(standings)].sort(), ["no verdict", "–"], "and of an invalid trial there is none");
  assert.match((await charts(page, "rates"))[0].words, /no verdict picks it/);
  assert.match((await charts(page, "cost"))[0].words, /No plan is picked/);
  await page.close();
});

test("the state of memory is explained once, and stands behind plans only where they differ in it", async () => {
  const { page } = await open(browser, "early");
  const words = (states) => page.evaluate((all) => {
    memoryStates.clear();
    all.forEach((each) => memoryStates.add(each));
    return [specialOf({ role: "contest", special: "memory left, 4 files at once" }), memoryNote()];
  }, states);
  assert.deepEqual(await words(["memory left"]), ["4 files at once", "All plans met memory as the trial before left it."]);
  assert.deepEqual(await words(["", "memory left"]),
    ["memory left, 4 files at once", "Memory left: as the trial before left it."]);
  await page.close();
});
