/** The walk over stored forms whose change takes effect at the proxy (test/web/forms/stored-forms.ts). */
import { expect, it } from 'vitest';
import { walkPlaces } from '../../web/forms/form-walk.ts';
import { places } from '../../web/forms/stored-forms.ts';
import { ofThisRun } from '../../run/mode.ts';
import type { Look, Watched } from '../../web/browser.ts';
import type { ApplicationFixture } from '../fixtures/applications.ts';

export function formTests(place: () => ApplicationFixture, owner: (look?: Look) => Promise<Watched>): void {
  it('each field at the proxy is saved alone and read back', { timeout: 900_000 }, async () => {
    const { berth } = place();
    const app = await place().application('forms');
    const subject = { applicationId: app.id };
    await berth.call('redirect.create', { ...subject, regex: '^/old/(.*)$', replacement: '/new/$1' });
    await berth.call('basicAuth.create', { ...subject, username: 'visitor', password: 'Secret-123' });
    const watched = await owner();
    const atProxy = places.filter(({ isAtProxy }) => isAtProxy === true);
    const faults = await walkPlaces({
      ...watched,
      url: berth.url,
      ids: { own: subject },
      places: ofThisRun(atProxy, 3),
    });
    expect(faults).toEqual([]);
    await watched.context.close();
  });
}
