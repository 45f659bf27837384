/** Java: Maven and Gradle; Spring Boot, Quarkus, Micronaut and plain jars. */
import { argLines, copyLine, quoted, runLine, userLine, workFolder } from './dockerfile.ts';
import { folderBuild, type FolderBuild } from './folder-build.ts';
import type { Language, Source } from './own-build.ts';
import type { Folder } from './source-files.ts';
import { execForm, portOf, procfileNotes } from './start-command.ts';
import { askedVersion, numbersOf, usualOf, type Chosen } from './versions.ts';

const usualVersion = '21';
const usualPort = 8080;

interface JavaTool {
  name: string;
  shownBy: readonly string[];
  /** Image of the tool for this version of Java; absent where the source brings a wrapper. */
  image(version: string): string;
  wrapper: string;
  program: string;
  /** Arguments of the build; Gradle makes what a layout needs by a task of its own. */
  build(task: string): string;
  cache: string;
  /** Where a build leaves what it made, and the jars of it, below the folder of the program's project. */
  outputs: string;
  jars: string;
  /** Text of a project file by which its project is a program; parents of several projects have none. */
  isProgram: RegExp;
  /** A jar of the build as a command names it; in the image it is app.jar. */
  jarPath: RegExp;
}

const tools: readonly JavaTool[] = [
  {
    name: 'Maven',
    shownBy: ['pom.xml'],
    image: (version) => `maven:3-eclipse-temurin-${version}`,
    wrapper: 'mvnw',
    program: 'mvn',
    build: () => '--batch-mode --no-transfer-progress -DskipTests package',
    cache: '/root/.m2',
    outputs: 'target',
    jars: 'target',
    isProgram:
      /^(?![\s\S]*<packaging>\s*pom)[\s\S]*(?:spring-boot|quarkus|micronaut|maven-(?:shade|assembly)-plugin)/,
    jarPath: /(?:[\w./-]+\/)?target\/[\w.*-]+\.jar/g,
  },
  {
    name: 'Gradle',
    shownBy: ['build.gradle', 'build.gradle.kts'],
    image: (version) => `gradle:8-jdk${version}`,
    wrapper: 'gradlew',
    program: 'gradle',
    build: (task) => `--no-daemon ${task} -x test`,
    cache: '/root/.gradle',
    outputs: 'build',
    jars: 'build/libs',
    isProgram:
      /(?:springframework\.boot|quarkus|micronaut|ktor|\bapplication\b)(?!.{0,200}\bapply\s{0,9}\(?false)/,
    jarPath: /(?:[\w./-]+\/)?build\/libs\/[\w.*-]+\.jar/g,
  },
];

const frameworks = [
  ['spring-boot', 'Spring Boot'],
  ['quarkus', 'Quarkus'],
  ['micronaut', 'Micronaut'],
  ['ktor', 'Ktor'],
] as const;

export const java: Language = {
  name: 'Java',
  shownBy: 'pom.xml or build.gradle',
  reads: /(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?|\.java-version|system\.properties)$/,
  plan(source) {
    const { app, procfile } = source;
    const tool = tools.find(({ shownBy }) => app.first(...shownBy, ...settingsOf(shownBy)) !== undefined);
    if (tool === undefined) return undefined;
    const file = projectFile(app, tool);
    if (file === undefined) return undefined;
    const folder = file.slice(0, file.lastIndexOf('/') + 1);
    const project = app.text(file) ?? '';
    const framework = frameworks.find(([word]) => project.includes(word))?.[1];
    const version = versionOf(app, `${project}\n${app.text(app.first(...tool.shownBy) ?? '') ?? ''}`);
    const hasWrapper = app.has(tool.wrapper);
    const image = hasWrapper ? `eclipse-temurin:${version.tag}-jdk` : tool.image(version.tag);
    const program = hasWrapper ? `sh ./${tool.wrapper}` : tool.program;
    const layout = layouts[layoutOf(tool, project, { framework, web: procfile.web })];
    const port = portOf(procfile.web ?? '') ?? usualPort;
    const command =
      procfile.web === undefined
        ? layout.command
        : execForm(procfile.web.replaceAll(tool.jarPath, 'app.jar').replaceAll(startScript, 'bin/start'));
    return folderBuild(source, {
      language: 'Java',
      framework,
      platform: `Java ${version.tag} with ${tool.name}`,
      image,
      command,
      ignored: ['target', 'build', '.gradle'],
      port,
      why: [
        `${file}: ${framework ?? 'Java'}, ${tool.name}` +
          `${hasWrapper ? ' by its wrapper' : ''}. Java ${version.tag}, ${version.why}.`,
        `Start: ${command.join(' ')}`,
        ...(framework === 'Spring Boot'
          ? [`It listens on ${port} unless SERVER_PORT or server.port says another one.`]
          : []),
        ...procfileNotes(procfile),
      ],
      stages: stagesOf(source, { version, image, program, tool, folder, layout }),
    });
  },
};

interface Facts {
  version: Chosen;
  image: string;
  program: string;
  tool: JavaTool;
  /** Of the program's project, with a slash after it; empty for the root. */
  folder: string;
  layout: Layout;
}

/** What a build leaves behind, and how that gets into the image. */
interface Layout {
  command: readonly string[];
  /** Task of Gradle. */
  task: string;
  /** Puts what is needed into /out of the build stage; `outputs` is where the build leaves it. */
  gather?(outputs: string, jars: string): string;
  /** Lines of the image. */
  env?: string;
  copy(outputs: string): string;
}

const javaJar = (jar: string): string[] => ['java', '-XX:MaxRAMPercentage=75', '-jar', jar];

const layouts = {
  jar: {
    command: javaJar('app.jar'),
    task: 'build',
    // Spring Boot puts a jar without its dependencies beside the whole one.
    gather: (_outputs, jars) =>
      `RUN mkdir /out && cp "$(ls -S ${quoted(jars)}/*.jar ` +
      "| grep -v -e '-plain\\.jar$' -e '-sources\\.jar$' -e '-javadoc\\.jar$' | head -n 1)\" " +
      '/out/app.jar',
    copy: () => 'COPY --from=build /out/app.jar ./app.jar',
  },
  quarkus: {
    command: javaJar('quarkus-run.jar'),
    task: 'build',
    copy: (outputs) => copyLine([`/src/${outputs}/quarkus-app`], './', '--from=build'),
  },
  /** Gradle lays out a folder with its jars and a script that starts them. */
  script: {
    command: ['bin/start'],
    task: 'installDist',
    gather: (outputs) =>
      `RUN cp -R ${quoted(outputs)}/install/*/ /out \\\n` +
      ' && rm /out/bin/*.bat && mv /out/bin/* /out/bin/start',
    env: 'ENV JAVA_OPTS=-XX:MaxRAMPercentage=75',
    copy: () => 'COPY --from=build /out ./',
  },
} satisfies Record<string, Layout>;

/** As a Procfile names the script of the layout of that name. */
const startScript = /(?:[\w./-]+\/)?build\/install\/[\w.-]+\/bin\/[\w.-]+/g;

function layoutOf(
  tool: JavaTool,
  project: string,
  { framework, web }: { framework: string | undefined; web: string | undefined },
): keyof typeof layouts {
  if (framework === 'Quarkus') return 'quarkus';
  // Whoever names a jar has made it one that runs.
  if (web?.match(tool.jarPath)) return 'jar';
  return tool.name === 'Gradle' && startsByScript(project) ? 'script' : 'jar';
}

/** A Gradle build of several projects need not have a project in its root. */
const settingsOf = (shownBy: readonly string[]): string[] =>
  shownBy.filter((file) => file.startsWith('build.')).map((file) => file.replace('build.', 'settings.'));

/** The file of the project that is the program: the root's, or that of the folder which has one. */
function projectFile(app: Folder, { shownBy, isProgram }: JavaTool): string | undefined {
  const root = app.first(...shownBy);
  if (root !== undefined && isProgram.test(app.text(root) ?? '')) return root;
  const parts = app.files.filter((path) => {
    const [folder, file = '', ...more] = path.split('/');
    return folder !== 'buildSrc' && more.length === 0 && shownBy.includes(file);
  });
  const programs = parts.filter((path) => isProgram.test(app.text(path) ?? '')).toSorted();
  return programs.find((path) => path.startsWith('app/')) ?? programs[0] ?? root;
}

/** Only these plugins make a jar that holds everything. */
const startsByScript = (project: string): boolean =>
  /\bapplication\b/.test(project) && !/springframework\.boot|quarkus|micronaut|ktor|shadow/.test(project);

function stagesOf(
  { variables, secrets }: Source,
  { version, image, program, tool, folder, layout }: Facts,
): FolderBuild['stages'] {
  const outputs = folder + tool.outputs;
  return [
    [
      `FROM ${image} AS build`,
      'WORKDIR /src',
      'COPY . .',
      ...argLines(variables),
      runLine(`${program} ${tool.build(layout.task)}`, { caches: [tool.cache], secrets }),
      layout.gather?.(outputs, folder + tool.jars),
    ],
    [
      `FROM eclipse-temurin:${version.tag}-jre`,
      userLine,
      layout.env,
      workFolder('/app', 'app'),
      layout.copy(outputs),
      'USER app',
    ],
  ];
}

function versionOf(app: Folder, project: string): Chosen {
  const asked = askedVersion([app], ['.java-version'], ['java']);
  const own = asked && numbersOf(asked.version.replace(/^[a-z-]+/i, ''), 1);
  if (asked && own) return { tag: own, why: `as ${asked.file} asks` };
  const properties = /^java\.runtime\.version\s*=\s*(?:1\.)?(\d+)/m.exec(
    app.text('system.properties') ?? '',
  )?.[1];
  if (properties) return { tag: properties, why: 'as system.properties asks' };
  const said =
    /<(?:java\.version|maven\.compiler\.(?:release|target)|release)>\s*(?:1\.)?(\d+)/.exec(project)?.[1] ??
    /(?:JavaLanguageVersion\.of\(|jvmToolchain\(|VERSION_|sourceCompatibility\s*=\s*['"]?(?:1\.)?)(\d+)/.exec(
      project,
    )?.[1];
  return said === undefined ? usualOf(usualVersion) : { tag: said, why: 'as the project file asks' };
}
