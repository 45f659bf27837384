/** Java: Maven and Gradle; Spring Boot, Quarkus, Micronaut and plain jars. */
import { argLines, runLine, userLine, workFolder } from './dockerfile.ts';
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
  build: string;
  cache: string;
  /** Where the jars are after the build. */
  jars: string;
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
    build: '--batch-mode --no-transfer-progress -DskipTests package',
    cache: '/root/.m2',
    jars: 'target',
    jarPath: /(?:[\w./-]+\/)?target\/[\w.*-]+\.jar/g,
  },
  {
    name: 'Gradle',
    shownBy: ['build.gradle', 'build.gradle.kts'],
    image: (version) => `gradle:8-jdk${version}`,
    wrapper: 'gradlew',
    program: 'gradle',
    build: '--no-daemon build -x test',
    cache: '/root/.gradle',
    jars: 'build/libs',
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
    const tool = tools.find(({ shownBy }) => app.first(...shownBy) !== undefined);
    if (tool === undefined) return undefined;
    const project = app.text(app.first(...tool.shownBy) ?? '') ?? '';
    const framework = frameworks.find(([word]) => project.includes(word))?.[1];
    const version = versionOf(app, project);
    const hasWrapper = app.has(tool.wrapper);
    const image = hasWrapper ? `eclipse-temurin:${version.tag}-jdk` : tool.image(version.tag);
    const program = hasWrapper ? `sh ./${tool.wrapper}` : tool.program;
    const isQuarkus = framework === 'Quarkus';
    const port = portOf(procfile.web ?? '') ?? usualPort;
    const command =
      procfile.web === undefined
        ? ['java', '-XX:MaxRAMPercentage=75', '-jar', isQuarkus ? 'quarkus-run.jar' : 'app.jar']
        : execForm(procfile.web.replaceAll(tool.jarPath, 'app.jar'));
    return folderBuild(source, {
      language: 'Java',
      framework,
      platform: `Java ${version.tag} with ${tool.name}`,
      image,
      command,
      ignored: ['target', 'build', '.gradle'],
      port,
      why: [
        `${app.first(...tool.shownBy)}: ${framework ?? 'Java'}, ${tool.name}` +
          `${hasWrapper ? ' by its wrapper' : ''}. Java ${version.tag}, ${version.why}.`,
        `Start: ${command.join(' ')}`,
        ...(framework === 'Spring Boot'
          ? [`It listens on ${port} unless SERVER_PORT or server.port says another one.`]
          : []),
        ...procfileNotes(procfile),
      ],
      stages: stagesOf(source, { version, image, program, tool, isQuarkus }),
    });
  },
};

interface Facts {
  version: Chosen;
  image: string;
  program: string;
  tool: JavaTool;
  isQuarkus: boolean;
}

function stagesOf(
  { variables, secrets }: Source,
  { version, image, program, tool, isQuarkus }: Facts,
): FolderBuild['stages'] {
  const folder = tool.name === 'Maven' ? 'target' : 'build';
  return [
    [
      `FROM ${image} AS build`,
      'WORKDIR /src',
      'COPY . .',
      ...argLines(variables),
      runLine(`${program} ${tool.build}`, { caches: [tool.cache], secrets }),
      ...(isQuarkus
        ? []
        : [
            // Spring Boot puts a jar without its dependencies beside the whole one.
            `RUN mkdir /out && cp "$(ls -S ${tool.jars}/*.jar ` +
              "| grep -v -e '-plain\\.jar$' -e '-sources\\.jar$' -e '-javadoc\\.jar$' | head -n 1)\" " +
              '/out/app.jar',
          ]),
    ],
    [
      `FROM eclipse-temurin:${version.tag}-jre`,
      userLine,
      workFolder('/app', 'app'),
      isQuarkus
        ? `COPY --from=build /src/${folder}/quarkus-app ./`
        : 'COPY --from=build /out/app.jar ./app.jar',
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
