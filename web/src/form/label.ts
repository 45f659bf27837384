/** What a field is called. */

/** `customGitUrl` → `Custom git url`. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/\b(Id|Url|Cpu|Dns|Ip|Ssh|Acme|S3)\b/gi, (word) => word.toUpperCase())
    .split(' ')
    .map((word) => (word === word.toUpperCase() && word.length > 1 ? word : word.toLowerCase()));
  const [first = '', ...rest] = words;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ');
}

/** A value that would do, marked as an example, not as what stands in the field. */
export const exampleOf = (example: string): string => `such as ${example}`;
