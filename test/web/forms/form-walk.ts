/** Walks a form that changes something stored: each field is changed alone, saved and read back. */
import type { Locator, Page } from 'playwright-core';
import described from '../../../web/src/generated/form-fields.json' with { type: 'json' };
import { widerThanItself } from './dialog-width.ts';
import {
  companions,
  decided,
  follows,
  hidden,
  otherValues,
  refused,
  type FieldKind,
} from './field-values.ts';
import { formsOf, openPlace, type Ids, type Place } from './stored-forms.ts';

interface Walked {
  forms: number;
  fields: number;
  savedAlone: number;
  faults: string[];
}

export interface WalkRequest {
  page: Page;
  url: string;
  ids: Ids;
  place: Place;
}

const answerLimitMs = 20_000;

/** Walks the places one after another and returns what was wrong; prints how much was walked. */
export async function walkPlaces({
  places,
  ...request
}: Omit<WalkRequest, 'place'> & { places: readonly Place[] }): Promise<string[]> {
  const { page, ids } = request;
  page.setDefaultTimeout(answerLimitMs);
  // A page may be left with a refused value in it.
  page.on('dialog', (dialog) => void dialog.accept());
  const total: Walked = { forms: 0, fields: 0, savedAlone: 0, faults: [] };
  for (const place of places) {
    const walked = await walkPlace({ ...request, place }).catch(
      (error: unknown): Walked => ({
        forms: 0,
        fields: 0,
        savedAlone: 0,
        faults: [`${place.screen(ids)} ${String(place.through ?? '')}: ${String(error).slice(0, 500)}`],
      }),
    );
    total.forms += walked.forms;
    total.fields += walked.fields;
    total.savedAlone += walked.savedAlone;
    total.faults.push(...walked.faults);
  }
  const { forms, fields, savedAlone } = total;
  console.log(`stored forms: ${forms}, their fields: ${fields}, saved alone: ${savedAlone}`);
  return total.faults;
}

async function walkPlace({ page, url, ids, place }: WalkRequest): Promise<Walked> {
  const walked: Walked = { forms: 0, fields: 0, savedAlone: 0, faults: [] };
  const forms = formsOf(page, place);
  const open = (): Promise<void> => openPlace(page, url, place, ids);
  await open();
  const where = `${place.screen(ids)}${place.through ? ` ${String(place.through.at(-1))}` : ''}`;
  const found = await forms.evaluateAll((all) => (all as unknown as Marked[]).map((one) => one.dataset.form));
  if (found.join() !== place.forms.join())
    walked.faults.push(`${where}: has ${found.join(', ')} and the table says ${place.forms.join(', ')}`);
  if (place.through)
    walked.faults.push(
      ...(await widerThanItself(page, page.locator('dialog[open]'))).map((fault) => `${where}: ${fault}`),
    );
  for (const [at, procedure] of found.entries()) {
    walked.forms += 1;
    const done = new Set<string>();
    for (;;) {
      const form = forms.nth(at);
      const before = await valuesOf(form);
      // A field that another one hides is shown once that one was changed.
      const name = [...before.keys()].find((one) => !done.has(one));
      if (name === undefined) break;
      done.add(name);
      walked.fields += 1;
      const fault = await changeAlone({ page, open, form, procedure, name, before });
      if (fault === undefined) walked.savedAlone += 1;
      else walked.faults.push(`${where}: ${procedure} ${name}: ${fault}`);
    }
  }
  return walked;
}

/** As much of the page's elements as is read there. */
interface Marked {
  dataset: { form: string; field: string };
  value: string;
  checked: boolean;
  querySelector(selector: string): Marked | null;
  querySelectorAll(selector: string): Iterable<Marked>;
}

/** What stands in the fields that are shown, by their names. */
const valuesOf = async (form: Locator): Promise<Map<string, string>> =>
  new Map(
    await form.evaluate((element) =>
      [...(element as unknown as Marked).querySelectorAll('[data-field]')].map((field): [string, string] => {
        const boxes = [...field.querySelectorAll('input[type=checkbox]')];
        const states = boxes.map(({ checked }) => (checked ? 'on' : 'off')).join(' ');
        const input = field.querySelector('input, select, textarea');
        return [field.dataset.field, boxes.length > 0 ? states : (input?.value ?? '')];
      }),
    ),
  );

interface Change {
  page: Page;
  open: () => Promise<void>;
  form: Locator;
  procedure: string;
  name: string;
  before: ReadonlyMap<string, string>;
}

/** undefined: another value was saved and stood there afterwards, and nothing else had changed. */
async function changeAlone(change: Change): Promise<string | undefined> {
  const { page, open, form, procedure, name, before } = change;
  const refusals: string[] = [];
  const kind = await kindOf(form, procedure, name);
  for (const value of otherValues({ procedure, name, former: before.get(name) ?? '', ...kind })) {
    if (refusals.length > 0) await open();
    await fill(form.locator(`[data-field="${name}"]`), kind.as, value);
    for (const [other, text] of companions[`${procedure} ${name}`] ?? []) {
      const beside = form.locator(`[data-field="${other}"] input`);
      if ((await beside.count()) > 0) await beside.fill(text);
    }
    const refusal = await submit(page, form, procedure);
    if (refusal === undefined) {
      await open();
      return differenceOf(await valuesOf(form), { procedure, name, before, value, kind });
    }
    if (refused[`${procedure} ${name}`]?.test(refusal)) {
      await open();
      return undefined;
    }
    refusals.push(`${JSON.stringify(value)}: ${refusal}`);
  }
  await open();
  return `no other value was saved alone: ${refusals.join('; ')}`;
}

/** What the form said against it; undefined when it was saved. */
async function submit(page: Page, form: Locator, procedure: string): Promise<string | undefined> {
  const answer = page.waitForResponse((response) => response.url().includes(`/api/${procedure}`), {
    timeout: answerLimitMs,
  });
  const fault = form.locator('.fault').first();
  const refused = fault.waitFor({ timeout: answerLimitMs }).then(
    () => undefined,
    () => undefined,
  );
  // Its own button, or the one of the bar that saves all forms of the page.
  await form
    .locator('button[type=submit]')
    .or(page.locator('[data-save-bar] [data-save]'))
    .click({ timeout: answerLimitMs });
  // What is tried before it is saved reaches nothing here.
  let isOver = false;
  const anyway = form.getByRole('button', { name: 'Save anyway' });
  const tried = anyway
    .waitFor({ timeout: answerLimitMs })
    .then(() => (isOver ? undefined : anyway.click()))
    .catch(() => undefined);
  const answered = await Promise.race([answer.catch(() => undefined), refused]);
  isOver = true;
  void tried;
  if (answered?.ok()) return undefined;
  return answered ? answered.text() : ((await fault.textContent()) ?? '');
}

interface Described {
  n: string;
  t: string;
  min?: number;
  max?: number;
  p?: readonly Described[];
}

interface Control {
  boxes: number;
  options: string[];
  isSecret: boolean;
  isNumber: boolean;
}

async function kindOf(form: Locator, procedure: string, name: string): Promise<FieldKind> {
  const shown = await form.locator(`[data-field="${name}"]`).evaluate((element): Control => {
    const field = element as unknown as Marked;
    return {
      boxes: [...field.querySelectorAll('input[type=checkbox]')].length,
      options: [...field.querySelectorAll('option')].map(({ value }) => value),
      isSecret: field.querySelector('input[type=password]') !== null,
      isNumber: field.querySelector('input[inputmode=numeric], input[inputmode=decimal]') !== null,
    };
  });
  const [whole, part] = name.split('.');
  const all: Readonly<Record<string, readonly Described[]>> = described;
  const first = all[procedure]?.find(({ n }) => n === whole);
  const known = part === undefined ? first : first?.p?.find(({ n }) => n === part);
  return {
    as: kindOfControl(shown),
    options: shown.options,
    type: shown.isNumber ? 'number' : known?.t,
    min: known?.min,
    max: known?.max,
  };
}

function kindOfControl({ boxes, options, isSecret }: Control): FieldKind['as'] {
  if (boxes > 0) return boxes === 1 ? 'switch' : 'several';
  if (options.length > 0) return 'select';
  return isSecret ? 'secret' : 'text';
}

async function fill(field: Locator, as: FieldKind['as'], value: string): Promise<void> {
  if (as === 'switch' || as === 'several') await field.locator('input[type=checkbox]').last().click();
  else if (as === 'select') await field.locator('select').selectOption(value);
  else await field.locator('input, textarea').first().fill(value);
}

interface Saved {
  procedure: string;
  name: string;
  before: ReadonlyMap<string, string>;
  value: string;
  kind: FieldKind;
}

function differenceOf(
  after: ReadonlyMap<string, string>,
  { procedure, name, before, value, kind }: Saved,
): string | undefined {
  const shown = after.get(name);
  const path = `${procedure} ${name}`;
  const isRead = kind.as !== 'secret' && !hidden.has(path) && !(path in decided);
  if (isRead && meaningOf(shown ?? '') !== meaningOf(value))
    return `${JSON.stringify(value)} was saved and ${JSON.stringify(shown)} is shown`;
  const others = [...before].filter(
    ([other, former]) =>
      other !== name && other !== follows[path] && after.has(other) && after.get(other) !== former,
  );
  const words = others.map(
    ([other, former]) => `${other} from ${JSON.stringify(former)} to ${JSON.stringify(after.get(other))}`,
  );
  return words.length === 0 ? undefined : `saving it changed ${words.join(', ')}`;
}

/** JSON is shown with other spaces than it may be typed with. */
function meaningOf(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
