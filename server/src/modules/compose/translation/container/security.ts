/** `security_opt` and `network_mode` of a service (compose-spec, services). Pure. */
import { unconfined, type ContainerOptions } from '../../../../ports/engine/engine.ts';
import type { YamlMap } from '../../compose-file.ts';
import { below, fault, textAt, textsAt, type Place } from '../values.ts';

type Security = Pick<ContainerOptions, 'noNewPrivileges' | 'seccomp' | 'apparmor'>;

/** Name and value of an option, which may stand with either sign between them. */
const option = /^([a-z-]+)(?:[:=](.*))?$/s;

/** Whether Berth knows the option with this value, whatever it needs for it. */
export function isKnownSecurity(text: string): boolean {
  const [, name = '', value] = option.exec(text) ?? [];
  switch (name) {
    case 'no-new-privileges':
      return value === undefined || value === 'true' || value === 'false';
    case 'label':
    case 'seccomp':
      return value !== undefined && value !== '';
    case 'apparmor':
      return value === unconfined || value === 'docker-default';
    default:
      return false;
  }
}

/**
 * What is left of the engine's protection. A seccomp profile is a file beside the compose file, taken over
 * with its content, as docker compose does.
 */
export function securityOf(
  service: YamlMap,
  place: Place,
  files: (path: string, at: Place) => string | undefined,
): Security {
  const at = below(place, 'security_opt');
  const security: Security = {};
  for (const text of optionsOf(service, at)) {
    const [, name = '', value = 'true'] = option.exec(text) ?? [];
    if (name === 'no-new-privileges' && value === 'true') security.noNewPrivileges = true;
    if (name === 'apparmor' && value === unconfined) security.apparmor = unconfined;
    if (name === 'seccomp' && value !== 'builtin')
      security.seccomp = value === unconfined ? value : profileAt(value, at, files);
  }
  return security;
}

/** Sentences about options that an older engine, or one without SELinux, passes over. */
export function securityNotes(service: YamlMap, place: Place): string[] {
  const { where } = below(place, 'security_opt');
  const names = new Set(
    optionsOf(service, below(place, 'security_opt'))
      .map((text) => option.exec(text) ?? [])
      .filter(([, , value]) => value !== 'false' && value !== 'docker-default' && value !== 'builtin')
      .map(([, name = '']) => name),
  );
  return [...names].map((name) =>
    name === 'label'
      ? `${where}: label has no effect, since this system has no SELinux labels.`
      : `${where}: ${name} holds on engines from 25.0 on; older ones pass it over.`,
  );
}

const optionsOf = (service: YamlMap, at: Place): string[] => {
  const value: unknown = service.get('security_opt');
  return value === undefined || value === null ? [] : textsAt(value, at);
};

/** Paths of the seccomp profiles that a service names, as the file writes them. */
export function profilePaths(service: YamlMap): string[] {
  const value: unknown = service.get('security_opt');
  return (Array.isArray(value) ? value : []).flatMap((text: unknown) => {
    const [, name, path = ''] = option.exec(String(text)) ?? [];
    return name === 'seccomp' && path !== unconfined && path !== 'builtin' && path !== '' ? [path] : [];
  });
}

function profileAt(path: string, at: Place, files: (path: string, at: Place) => string | undefined): string {
  const text = files(path, at);
  if (text === undefined)
    throw fault(
      at,
      `names the seccomp profile ${path.slice(0, 100)}, which is not there. It is a file of the ` +
        'repository, or for a file of the source raw one that mount.create adds (type file)',
    );
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    throw fault(at, `names the seccomp profile ${path.slice(0, 100)}, which is not valid JSON`);
  }
}

/** Whether it is on the network of the server; BAD_REQUEST where the file names networks as well. */
export function isOnServerNetwork(service: YamlMap, place: Place): boolean {
  const mode: unknown = service.get('network_mode');
  if (mode === undefined || mode === null || mode === '') return false;
  const networks: unknown = service.get('networks');
  if (networks !== undefined && networks !== null)
    throw fault(below(place, 'networks'), 'cannot be given together with network_mode');
  return textAt(mode, below(place, 'network_mode')) === 'host';
}
