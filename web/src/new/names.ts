/** `shop` of https://example.com/you/shop.git and of registry.example.com/you/shop:2. */
export function nameFrom(address: string): string {
  const last =
    address
      .replace(/[#?].*$/, '')
      .replace(/\/+$/, '')
      .split(/[/]/)
      .at(-1) ?? '';
  return last
    .replace(/\.git$/, '')
    .replace(/[:@].*$/, '')
    .slice(0, 100);
}

interface Project {
  name: string;
  environments: readonly { environmentId: string; name: string }[];
}

/** The environments of a project as choices. */
export const newPlace = (project: Project): { value: string; label: string }[] =>
  project.environments.map(({ environmentId, name }) => ({
    value: environmentId,
    label: `${project.name} / ${name}`,
  }));
