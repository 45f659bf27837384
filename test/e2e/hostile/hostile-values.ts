/** Text that must never be more than text. Commands in it try to leave a file behind. */

export interface HostileValue {
  name: string;
  text: string;
}

type Make = (touch: string, file: string) => string;

/** What a shell would run. */
const shell: Record<string, Make> = {
  semicolon: (touch) => `; ${touch}`,
  'semicolon inside': (touch) => `a;${touch};b`,
  'command substitution': (touch) => `$(${touch})`,
  'substitution inside': (touch) => `a$(${touch})b`,
  'substitution without blanks': (touch) => `$(${touch.replaceAll(' ', '${IFS}')})`,
  backticks: (touch) => `\`${touch}\``,
  pipe: (touch) => `| ${touch}`,
  and: (touch) => `&& ${touch}`,
  or: (touch) => `|| ${touch}`,
  background: (touch) => `& ${touch} &`,
  'line break': (touch) => `a\n${touch}\nb`,
  'line break first': (touch) => `\n${touch}`,
  'carriage return': (touch) => `a\r${touch}`,
  'carriage return and line break': (touch) => `a\r\n${touch}\r\n`,
  'single quote': (touch) => `' ; ${touch} ; '`,
  'double quote': (touch) => `" ; ${touch} ; "`,
  'both quotes': (touch) => `'"; ${touch} #`,
  redirection: (_touch, file) => `> ${file}`,
  'process substitution': (touch) => `<(${touch})`,
  'brace expansion': (touch) => `{${touch.replace(' ', ',')}}`,
  'ANSI quoting': (_touch, file) => `$'\\x3btouch ${file}'`,
  'URL-encoded line break': (_touch, file) => `%0atouch%20${file}`,
  tab: (touch) => `a\t${touch}`,
  shebang: (touch) => `#!/bin/sh\n${touch}`,
  'lone quote': () => "'",
  'lone double quote': () => '"',
  'lone backslash': () => '\\',
  backslashes: () => '\\\\\\$(:)',
  variable: () => '$HOME ${PATH} $0',
  glob: () => '*?[a-z]{a,b}~',
};

/** What a program would take for an option or a helper. */
const options: Record<string, Make> = {
  'long option': () => '--help',
  'short option': () => '-v',
  dash: () => '-',
  'two dashes': () => '--',
  removal: () => '-rf /',
  'ssh proxy command': (touch) => `-oProxyCommand=${touch}`,
  'ssh address as option': (touch) => `ssh://-oProxyCommand=${touch.replaceAll(' ', '${IFS}')}/x`,
  'scp address as option': (touch) => `git@-oProxyCommand=${touch.replaceAll(' ', '${IFS}')}:x`,
  'git helper': (touch) => `ext::sh -c ${touch.replaceAll(' ', '% ')}`,
  'git descriptor': () => 'fd::17/foo',
  'git upload pack': (touch) => `--upload-pack=${touch}`,
  'git setting': (touch) => `-c core.sshCommand=${touch}`,
  'git alias': (touch) => `!${touch}`,
  'docker option': () => '--build-arg=X=1 --network=host --privileged',
  'docker mount': () => 'type=bind,source=/,target=/host',
  'argument file': () => '@/etc/passwd',
  'tar checkpoint': (touch) => `--checkpoint-action=exec=${touch}`,
  'rclone remote': () => ':local:/etc',
};

const paths: Record<string, Make> = {
  'up and out': () => '../../../../etc/passwd',
  'up inside': () => 'a/../../b',
  absolute: () => '/etc/passwd',
  'doubled dots': () => '....//....//etc/passwd',
  'backslashes as folders': () => '..\\..\\etc\\passwd',
  'encoded dots': () => '%2e%2e%2fetc%2fpasswd',
  'process environment': () => '/proc/self/environ',
  'engine socket': () => '/var/run/docker.sock',
  'network share': () => '//host/share',
  home: () => '~root/.ssh/authorized_keys',
  drive: () => 'C:\\Windows\\system32',
  dot: () => '.',
  'two dots': () => '..',
  'file address': () => 'file:///etc/passwd',
  'metadata address': () => 'http://169.254.169.254/latest/meta-data/',
  'address with credentials': () => 'https://user:pa%0Ass@example.com/x.git',
  'trailing slashes': () => `a${'/'.repeat(200)}`,
};

const characters: Record<string, Make> = {
  NUL: () => 'a\0b',
  'only NUL': () => '\0',
  'NUL before a suffix': () => '/etc/passwd\0.png',
  'escape sequence': () => '\u001b[2J\u001b[31mred\u001b[0m',
  'terminal title': () => '\u001b]0;title\u0007',
  backspaces: () => 'abc\b\b\bxyz',
  delete: () => 'a\u007fb',
  'high surrogate alone': () => 'a\ud800b',
  'low surrogate alone': () => '\udc00',
  'surrogates reversed': () => '\udc00\ud800',
  'right-to-left override': () => 'gpj.\u202eexe',
  'zero width': () => 'a\u200bb\u2060c',
  'byte order mark': () => '\ufeffabc',
  'line separator': () => 'a\u2028b\u2029c',
  'next line': () => 'a\u0085b',
  'look-alike': () => '\u0430pp',
  combining: () => 'e\u0301'.repeat(20),
  'full width': (touch) => `\uff04\uff08${touch}\uff09`,
  'case that grows': () => '\u0130\u00df\ufb01',
  emoji: () => '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  'not a character': () => '\ufffe\uffff',
  empty: () => '',
  blank: () => ' ',
  'blanks round it': () => '  a  ',
};

/** What an interpreter, a database, a template or a log reader would read. */
const readers: Record<string, Make> = {
  prototype: () => '__proto__',
  constructor: () => 'constructor',
  method: () => 'toString',
  JSON: () => '{"$ne":null,"__proto__":{"admin":true}}',
  'JSON envelope': () => '{"json":{"name":"x"}}',
  'deep JSON': () => '['.repeat(5000),
  null: () => 'null',
  number: () => '1e999',
  SQL: () => "'; DROP TABLE application; --",
  'SQL condition': () => "' OR '1'='1",
  'SQL pattern': () => '%_%',
  reference: () => '${{project.SECRET}}',
  'environment reference': () => 'A=${{environment.NOTHING}}',
  'reference to itself': () => 'A=${{A}}',
  'engine template': () => '{{.Node.Hostname}}',
  'broken engine template': () => '{{ nonsense',
  'engine template as a path': () => '/var/lib/{{"docker"}}',
  'proxy placeholder': () => '{env.HOME}{http.request.host}',
  'server template': () => '<%= 7*7 %>#{7*7}',
  'format string': () => '%s%s%n%x%d{0}',
  markup: () => '"><script>alert(1)</script>',
  header: () => 'x\r\nSet-Cookie: berth_session=stolen',
  'log line': () => 'x\n{"level":"error","msg":"forged"}',
  variables: (touch) => `A=1\nB=$(${touch})\nexport C='x\ny'`,
  'open variable': () => 'A="never closed',
  'variable without a name': () => '=value',
  YAML: (touch) => `!!js/function 'function(){ ${touch} }'`,
  Dockerfile: (touch) => `FROM scratch\nRUN ${touch}`,
};

const long: Record<string, Make> = {
  'label of 64': () => 'a'.repeat(64),
  'line of 300': () => 'a'.repeat(300),
  'line of 5,000': () => 'a'.repeat(5000),
  folders: () => 'a/'.repeat(2000),
  'dots and dashes': () => 'a.-_'.repeat(3000),
  quotes: () => '"'.repeat(20_000),
  'one MB': () => 'a'.repeat(1_000_000),
  'one MB of substitutions': (touch) => `$(${touch})`.repeat(20_000).slice(0, 1_000_000),
  'one MB of line breaks': () => '\n'.repeat(500_000),
};

/** All of them; `fileOf` gives the path that the n-th one's commands try to make. */
export function hostileValues(fileOf: (index: number) => string): HostileValue[] {
  return Object.entries({ ...shell, ...options, ...paths, ...characters, ...readers, ...long }).map(
    ([name, make], index) => ({ name, text: make(`touch ${fileOf(index)}`, fileOf(index)) }),
  );
}
