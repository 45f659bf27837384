/**
 * A GitHub App of one's own: created at GitHub from a manifest, which leads back here with a code; then
 * installed there, which leads back with the installation. Only this page may send a form to GitHub
 * (the policy of transport/dashboard.ts), so it is opened as a page of its own.
 */
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useGo } from '../frame/link.tsx';
import { ask, refresh, type Answer } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Fault, Notice, SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { manifestOf, newAppAddress, pagePath, randomLetters } from './manifest.ts';
import { texts } from './texts.ts';

/** Of this tab alone: what was begun here, and the App that waits for its installation. */
const kept = { state: 'github-state', waiting: 'github-app' };

export function ConnectGithub(): ReactElement {
  const search = new URLSearchParams(location.search);
  const code = search.get('code');
  const installation = search.get('installation_id');
  return (
    <Page title={texts.title} about={texts.about} isNarrow>
      {code !== null ? (
        <Made code={code} state={search.get('state') ?? ''} />
      ) : installation !== null ? (
        <Installed installationId={installation} />
      ) : (
        <Begin />
      )}
    </Page>
  );
}

function Begin(): ReactElement {
  const [isOfOrganization, setOfOrganization] = useState(false);
  const [organization, setOrganization] = useState('');
  const [state] = useState(() => randomLetters(32));
  const [manifest] = useState(() => JSON.stringify(manifestOf(location.origin, randomLetters(4))));
  return (
    <Panel isPadded>
      <form
        className="grid gap-4"
        method="post"
        action={newAppAddress(isOfOrganization ? organization.trim() : '', state)}
        onSubmit={() => sessionStorage.setItem(kept.state, state)}
      >
        <input type="hidden" name="manifest" value={manifest} />
        <fieldset className="flex flex-wrap gap-x-6 gap-y-2 text-13">
          <legend className="sr-only">For whom</legend>
          {[texts.account, texts.organization].map((word, at) => (
            <label key={word} className="flex items-center gap-2">
              <input
                type="radio"
                name="owner"
                checked={isOfOrganization === (at === 1)}
                onChange={() => setOfOrganization(at === 1)}
              />
              {word}
            </label>
          ))}
        </fieldset>
        {isOfOrganization && (
          <div className="field">
            <label htmlFor="github-organization">{texts.login}</label>
            <input
              id="github-organization"
              className="input"
              autoComplete="off"
              spellCheck={false}
              placeholder="such as acme"
              value={organization}
              onChange={(event) => setOrganization(event.target.value)}
            />
          </div>
        )}
        <p className="text-13 text-muted">{texts.rights}</p>
        {location.protocol === 'http:' && <Notice>{texts.notReached}</Notice>}
        <div>
          <Button type="submit" look="primary" disabled={isOfOrganization && organization.trim() === ''}>
            {texts.goOn}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

type MadeApp = Answer<'gitProvider.createFromManifest'>;

function Made({ code, state }: { code: string; state: string }): ReactElement {
  const [made, setMade] = useState<MadeApp | undefined>();
  const [error, setError] = useState<unknown>(null);
  const isBegun = useRef(false);
  useEffect(() => {
    // A code is good once.
    if (isBegun.current) return;
    isBegun.current = true;
    const isOurs = state !== '' && sessionStorage.getItem(kept.state) === state;
    sessionStorage.removeItem(kept.state);
    if (!isOurs) return setError(new Error(texts.stranger));
    ask('gitProvider.createFromManifest', { code }).then((app) => {
      sessionStorage.setItem(kept.waiting, app.gitProviderId);
      setMade(app);
    }, setError);
  }, [code, state]);
  if (error != null) return <Failed error={error} />;
  if (!made) return <Waits />;
  return (
    <Panel isPadded>
      <div className="grid gap-4 text-13">
        <p>{texts.made(made.name)}</p>
        <div>
          <a href={made.installUrl} className="button primary">
            {texts.install}
          </a>
        </div>
      </div>
    </Panel>
  );
}

function Installed({ installationId }: { installationId: string }): ReactElement {
  const go = useGo();
  const [error, setError] = useState<unknown>(null);
  const isBegun = useRef(false);
  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    const gitProviderId = sessionStorage.getItem(kept.waiting);
    sessionStorage.removeItem(kept.waiting);
    if (gitProviderId === null) return setError(new Error(texts.stranger));
    ask('gitProvider.update', { gitProviderId, installationId })
      .then(() => refresh('gitProvider'))
      .then(() => go('/settings/git', { replace: true }), setError);
  }, [installationId, go]);
  return error == null ? <Waits /> : <Failed error={error} />;
}

const Waits = (): ReactElement => (
  <Panel>
    <SkeletonRows rows={2} />
  </Panel>
);

const Failed = ({ error }: { error: unknown }): ReactElement => (
  <div className="grid justify-items-start gap-4">
    <Fault error={error} />
    <a href={pagePath} className="button">
      {texts.begin}
    </a>
  </div>
);
