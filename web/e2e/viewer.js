// The viewer in a real browser, from files: what a person does with it. Screenshots are in target/screenshots.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pageOf } from "../dev/page.js";
import { hostile, largeRun, model, monitor, twoPhaseCommit, waveform } from "../test/pictures.js";
import { reportTime, keepPage, launch, leave, openFile, seriousFindings } from "./browser.js";

/** @type {any} */
let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await leave();
});

/**
 * Opens a picture, does something with it, and asserts that nothing was logged, thrown or requested.
 *
 * @param {string} name
 * @param {unknown} picture
 * @param {Parameters<typeof openFile>[2]} options
 * @param {(page: any, shot: (name: string) => Promise<void>, used: () => Promise<number>) => Promise<void>} use
 */
async function withPicture(name, picture, options, use) {
  const { page, problems, shot, used, close } = await openFile(browser, keepPage(name, pageOf(picture)), options);
  await use(page, shot, used);
  assert.deepEqual(problems, []);
  await close();
}

/** Lets the viewer paint what was asked of it. */
const nextFrame = (/** @type {any} */ page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** The rows in sight as text. */
const rowTexts = (/** @type {any} */ page, pane = 0) =>
  page.locator(".pv-pane").nth(pane).locator(".pv-row:not([hidden])").evaluateAll((/** @type {HTMLElement[]} */ rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent).filter((text) => text !== "").join(" | ")),
  );

/** The subformulas with their marks. */
const partTexts = (/** @type {any} */ page) =>
  page.locator(".pv-parts li").evaluateAll((/** @type {HTMLElement[]} */ parts) =>
    parts.map((part) => `${part.querySelector(".pv-truth")?.textContent} ${part.querySelector("code")?.textContent}`),
  );

test("a violation is told, drawn and stepped through", async () => {
  await withPicture("two-phase-commit", twoPhaseCommit(), {}, async (page, shot) => {
    assert.match(await page.locator(".pv-story").innerText(), /nothing orders vote on inventory \(line 7\) before decide/);
    assert.equal(await page.getByLabel("Failing order").isChecked(), true);
    const rows = await rowTexts(page);
    assert.equal(rows[5], '6 | ⇅ | decide | coordinator | decision = "commit" | line 8');
    assert.equal(rows[6], '✗ | decision = "commit", inventory = "working", payment = "prepared"');
    assert.match(rows[7], /^7 \| ⇅ \| vote/);
    assert.equal(await page.locator(".pv-step").innerText(), "step 6 of 10");
    assert.ok((await partTexts(page)).includes('✗ inventory == "prepared"'));
    await shot("violation");

    const slider = page.getByLabel("Step", { exact: true });
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator(".pv-step").innerText(), "step 7 of 10");
    assert.ok((await partTexts(page)).includes('✓ inventory == "prepared"'));
    assert.match(await page.locator(".pv-values").innerText(), /inventory\s+"prepared"\s+◂ set here/);
    await page.keyboard.press("Home");
    assert.equal(await page.locator(".pv-where").innerText(), "At the start");
    assert.match(await page.locator(".pv-values").innerText(), /decision\s+"none"/);
    await page.keyboard.press("End");
    assert.equal(await page.locator(".pv-step").innerText(), "step 10 of 10");
    await page.getByRole("button", { name: "Go to the failing moment" }).click();
    assert.equal(await page.locator(".pv-where").innerText(), "After decide on coordinator");
  });
});

test("the recorded order beside the failing one", async () => {
  await withPicture("side-by-side", twoPhaseCommit(), { width: 1600 }, async (page, shot) => {
    assert.equal(await page.getByLabel("Side by side").isChecked(), true);
    assert.equal(await page.locator(".pv-pane").count(), 2);
    const [recorded, failing] = [await rowTexts(page, 0), await rowTexts(page, 1)];
    assert.equal(recorded.length, 10);
    assert.match(recorded[5], /^6 \| ⇅ \| vote/);
    assert.match(failing[5], /^6 \| ⇅ \| decide/);
    await shot("side-by-side");
    await page.getByLabel("Recorded order", { exact: true }).check();
    assert.equal(await page.locator(".pv-pane").count(), 1);
    assert.equal(await page.locator(".pv-step").innerText(), "step 7 of 10");
    assert.ok((await partTexts(page)).includes('✓ inventory == "prepared"'));
    await page.getByLabel("Failing order").check();
    assert.equal(await page.locator(".pv-step").innerText(), "step 6 of 10");
  });
});

test("the colours follow the system and the button", async () => {
  await withPicture("dark", twoPhaseCommit(), { dark: true, width: 800, height: 1200 }, async (page, shot) => {
    const ground = () => page.locator(".pv").evaluate((/** @type {Element} */ element) => getComputedStyle(element).backgroundColor);
    const dark = await ground();
    await shot("dark-narrow");
    await page.getByRole("button", { name: "Theme: auto" }).click();
    const light = await ground();
    assert.notEqual(light, dark);
    await shot("light-narrow");
    await page.getByRole("button", { name: "Theme: light" }).click();
    assert.equal(await ground(), dark);
  });
});

test("an edge tells its reason", async () => {
  await withPicture("edge", twoPhaseCommit(), {}, async (page) => {
    const box = await page.locator(".pv-scroller").boundingBox();
    const points = await edgePixels(page);
    await page.mouse.move(box.x + points.x, box.y + points.y);
    await page.locator(".pv-tip:not([hidden])").waitFor();
    assert.equal(await page.locator(".pv-tip").innerText(), "prepare → i-prepare: named in `after`");
    // The same without a mouse: the event lists its edges.
    await page.locator(".pv-row", { hasText: "i-prepare" }).or(page.locator(".pv-row").nth(2)).first().click();
    assert.match(await page.locator(".pv-about").innerText(), /Comes after\s+prepare on coordinator/);
    await page.getByRole("button", { name: "prepare on coordinator" }).click();
    assert.equal(await page.locator(".pv-where").innerText(), "After prepare on coordinator");
  });
});

/** A point on the edge from the first event to that in row 2: in the first row, between the second and the third column. */
async function edgePixels(/** @type {any} */ page) {
  const heads = page.locator(".pv-head");
  const scroller = await page.locator(".pv-scroller").boundingBox();
  const [second, third] = [await heads.nth(1).boundingBox(), await heads.nth(2).boundingBox()];
  const middle = (/** @type {any} */ box) => box.x + box.width / 2;
  return { x: (middle(second) + middle(third)) / 2 - scroller.x, y: 14 };
}

test("keyboard only: choose a property, step, fold a lane, search", async () => {
  await withPicture("keyboard", twoPhaseCommit(), {}, async (page, shot) => {
    const press = async (/** @type {string} */ key, times = 1) => {
      for (let count = 0; count < times; count++) await page.keyboard.press(key);
    };
    /** Presses Tab until the element with this name or text has the focus. */
    const tabTo = async (/** @type {RegExp} */ name) => {
      for (let count = 0; count < 60; count++) {
        await press("Tab");
        const focused = await page.evaluate(() => {
          const element = /** @type {HTMLElement} */ (document.activeElement);
          return element.getAttribute("aria-label") ?? element.parentElement?.textContent ?? element.textContent ?? "";
        });
        if (name.test(focused)) return;
      }
      assert.fail(`nothing called ${name} gets the focus`);
    };
    await tabTo(/never_ready/);
    await press("Enter");
    assert.match(await page.locator(".pv-story").innerText(), /never_ready/);
    assert.equal(await page.getByLabel("Path to the failing cut").isChecked(), true);
    await shot("cut");
    await tabTo(/events in order/);
    await press("Home");
    await press("ArrowDown", 3);
    assert.equal(await page.locator(".pv-where").innerText(), "After start on inventory");
    await nextFrame(page);
    const active = await page.locator(".pv-scroller").getAttribute("aria-activedescendant");
    assert.match(await page.locator(`#${active}`).innerText(), /start/);
    await press("/");
    await page.keyboard.type("apply");
    await page.getByText("2 found").waitFor();
    assert.equal(await page.locator(".pv-where").innerText(), "After apply on payment");
    await press("Enter");
    assert.equal(await page.locator(".pv-where").innerText(), "After apply on inventory");
    await press("Shift+Tab", 1);
    await tabTo(/Fold lane payment/);
    await press("Enter");
    assert.ok((await rowTexts(page)).some((/** @type {string} */ text) => /1 other event, not shown/.test(text)));
    await page.getByRole("button", { name: "Unfold lane payment" }).focus();
    await press("Enter");
    assert.ok(!(await rowTexts(page)).some((/** @type {string} */ text) => /not shown/.test(text)));
  });
});

test("a waveform: traces, the failing stretch, the values at the cursor", async () => {
  await withPicture("waveform", waveform(), { height: 500 }, async (page, shot) => {
    assert.equal(await page.locator(".pv-where").innerText(), "At 240 ns");
    await page.locator(".pv-wave-scroller").focus();
    for (let count = 0; count < 4; count++) await page.keyboard.press("ArrowLeft");
    assert.match(await page.locator(".pv-values").innerText(), /top\.req\s+1\s+◂ set here/);
    await shot("waveform");
    assert.deepEqual(await seriousFindings(page), []);
  });
});

test("a model: runs of their own, steps of several components, the loop", async () => {
  await withPicture("model", model(), { width: 1000, height: 700 }, async (page, shot) => {
    const rows = await rowTexts(page);
    assert.match(rows[0], /take \| left, fork \| fork = 1/);
    assert.match(rows[rows.length - 1], /↻ \| from here the steps after 4 repeat for ever/);
    await shot("model");
    await page.locator(".pv-result", { hasText: "no deadlock" }).focus();
    await page.keyboard.press("Enter");
    assert.deepEqual(await rowTexts(page), ["1 | take | right, fork | fork = 1", "✗ | no action can take place"]);
    assert.match(await page.locator(".pv-values").innerText(), /right\s+hungry/, "it begins in a state of its own");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent?.includes("no deadlock")), true, "the focus stays");
    await page.locator(".pv-result", { hasText: "eats" }).click();
    assert.equal((await rowTexts(page)).length, rows.length);
    assert.deepEqual(await seriousFindings(page), []);
  });
});

test("a monitor: states by their verdicts", async () => {
  await withPicture("monitor", monitor(), { width: 1000, height: 700 }, async (page, shot) => {
    assert.equal(await page.locator("polygon.pv-state-violated").count(), 1);
    assert.equal(await page.locator("circle.pv-state-open").count(), 2);
    await page.getByText("As text").click();
    assert.match(await page.locator(".pv-arcs").innerText(), /waiting\s+!ack && req\s+failed\s+violated for good/);
    await shot("monitor");
    assert.deepEqual(await seriousFindings(page), []);
  });
});

test("axe-core has nothing serious to say, in light and dark, with one order and two", async () => {
  for (const { dark, width } of [{ dark: false, width: 800 }, { dark: true, width: 1600 }]) {
    await withPicture("axe", twoPhaseCommit(), { dark, width }, async (page) => {
      for (const property of ["apply_after_decision", "never_ready", "too_hard", "no_early_commit"]) {
        await page.locator(".pv-result", { hasText: property }).click();
        assert.deepEqual(await seriousFindings(page), [], `${property}, ${dark ? "dark" : "light"}, ${width}`);
      }
    });
  }
});

test("names that look like markup stay text", async () => {
  await withPicture("hostile", hostile(), { width: 1600 }, async (page, shot) => {
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).hacked), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.match(await page.locator("h1").innerText(), /onerror/);
    await page.mouse.move(300, 500);
    await shot("hostile");
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).hacked), undefined);
  });
});

test("on paper all rows are there, in light colours", async () => {
  await withPicture("print", largeRun(120, 5), { dark: true }, async (page, shot) => {
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    assert.equal((await rowTexts(page)).length, 121);
    const box = await page.locator(".pv-scroller").boundingBox();
    assert.ok(box.height > 120 * 20);
    assert.equal(await page.locator(".pv-tools").isVisible(), false);
    const ground = await page.locator(".pv").evaluate((/** @type {Element} */ element) => getComputedStyle(element).backgroundColor);
    assert.equal(ground, "rgb(255, 255, 255)");
    await shot("print");
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    assert.ok((await rowTexts(page)).length < 60);
    assert.ok((await page.pdf()).length > 10_000);
  });
});

test("a picture of another schema is refused in words", async () => {
  await withPicture("schema", { schema: "posetta-show/9" }, {}, async (page) => {
    assert.match(await page.getByRole("alert").innerText(), /posetta-show\/1/);
  });
});

test("100,000 events: first paint, the slice, everything, zoom, folding, search, frames", async () => {
  await withPicture("large", largeRun(100_000, 12), {}, async (page, shot, used) => {
    await page.waitForFunction(() => /** @type {any} */ (window).firstPaint !== undefined);
    const clock = await page.evaluate(() => /** @type {any} */ (window).firstPaint);
    reportTime("first paint of 100,000 events", { clock, used: await used(), limit: 2000 });
    assert.equal(await page.getByLabel(/Only what matters/).isChecked(), true);
    const slice = await rowTexts(page);
    assert.ok(slice.some((/** @type {string} */ text) => text.startsWith("✗")), "the failing moment is in sight");
    await shot("large-slice");
    const gap = slice.findIndex((/** @type {string} */ text) => text.includes("179 other events"));
    assert.ok(gap >= 0);
    await page.locator(".pv-row:not([hidden])").nth(gap).click();
    assert.ok(!(await rowTexts(page)).some((/** @type {string} */ text) => text.includes("179 other events")));

    await page.getByLabel(/Only what matters/).uncheck();
    await shot("large-all");
    reportTime("a frame while scrolling, median", { ...(await scrollFrames(page, used)), limit: 32 });

    for (let count = 0; count < 3; count++) await page.getByRole("button", { name: "Zoom out" }).click();
    await shot("large-zoomed");
    reportTime("the same at 7 pixels for each event", { ...(await scrollFrames(page, used)), limit: 32 });
    for (let count = 0; count < 8; count++) await page.getByRole("button", { name: "Zoom out" }).click();
    await shot("large-density");
    for (let count = 0; count < 14; count++) await page.getByRole("button", { name: "Zoom in" }).click();

    // The lanes of a group, and those that differ in a number.
    await page.getByLabel("Fold a group of lanes").selectOption("service (8)");
    assert.equal(await page.locator(".pv-head:visible").count(), 4);
    await page.getByRole("button", { name: "Unfold 8 lanes of service" }).click();
    assert.equal(await page.locator(".pv-head:visible").count(), 12);
    await page.getByLabel("Fold a group of lanes").selectOption("eu (4)");
    assert.equal(await page.locator(".pv-head:visible").count(), 8);
    await shot("large-folded");
    await page.getByRole("button", { name: "Unfold 4 lanes of eu" }).click();

    const before = Date.now();
    await page.getByLabel(/Search events/).fill("order=4321");
    await page.locator(".pv-hits", { hasText: "found" }).waitFor();
    console.log(`search in 100,000 events: ${Date.now() - before} ms`);
    assert.match(await page.locator(".pv-about").innerText(), /order\s+4321/);
    await page.getByRole("button", { name: "Go to the failing moment" }).click();
    await page.locator(".pv-row.pv-current").waitFor();
    await shot("large-search");
    assert.deepEqual(await seriousFindings(page), []);
  });
});

/**
 * Scrolls through the diagram for 60 frames.
 *
 * @param {any} page
 * @param {() => Promise<number>} used
 * @returns {Promise<{clock: number, used: number}>} The median of the times of frames, and what a frame used.
 */
async function scrollFrames(page, used) {
  const before = await used();
  /** @type {number[]} */
  const times = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const scroller = /** @type {HTMLElement} */ (document.querySelector(".pv-scroller"));
        scroller.scrollTop = scroller.scrollHeight / 3;
        /** @type {number[]} */
        const found = [];
        let last = performance.now();
        const frame = (/** @type {number} */ now) => {
          found.push(now - last);
          last = now;
          scroller.scrollTop += 180;
          if (found.length < 60) requestAnimationFrame(frame);
          else resolve(found.slice(1));
        };
        requestAnimationFrame(frame);
      }),
  );
  const spent = (await used()) - before;
  return { clock: times.sort((a, b) => a - b)[times.length >> 1], used: spent / times.length };
}
