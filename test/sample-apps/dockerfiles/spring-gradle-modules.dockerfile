# Spring Boot on Java 21 with Gradle, written by Berth.
FROM eclipse-temurin:21-jdk AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.gradle sh ./gradlew --no-daemon build -x test
RUN mkdir /out && cp "$(ls -S web/build/libs/*.jar | grep -v -e '-plain\.jar$' -e '-sources\.jar$' -e '-javadoc\.jar$' | head -n 1)" /out/app.jar

FROM eclipse-temurin:21-jre
RUN useradd --system --create-home --uid 10001 app
WORKDIR /app
RUN chown app:app /app
COPY --from=build /out/app.jar ./app.jar
USER app
EXPOSE 8080
CMD ["java", "-XX:MaxRAMPercentage=75", "-jar", "app.jar"]
