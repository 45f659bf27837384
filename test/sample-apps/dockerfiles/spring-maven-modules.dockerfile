# Spring Boot on Java 17 with Maven, written by Berth.
FROM maven:3-eclipse-temurin-17 AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.m2 mvn --batch-mode --no-transfer-progress -DskipTests package
RUN mkdir /out && cp "$(ls -S api/target/*.jar | grep -v -e '-plain\.jar$' -e '-sources\.jar$' -e '-javadoc\.jar$' | head -n 1)" /out/app.jar

FROM eclipse-temurin:17-jre
RUN useradd --system --create-home --uid 10001 app
WORKDIR /app
RUN chown app:app /app
COPY --from=build /out/app.jar ./app.jar
USER app
EXPOSE 8080
CMD ["java", "-XX:MaxRAMPercentage=75", "-jar", "app.jar"]
