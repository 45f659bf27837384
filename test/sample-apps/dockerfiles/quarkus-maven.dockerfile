# Quarkus on Java 21 with Maven, written by Berth.
FROM eclipse-temurin:21-jdk AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.m2 sh ./mvnw --batch-mode --no-transfer-progress -DskipTests package

FROM eclipse-temurin:21-jre
RUN useradd --system --create-home --uid 10001 app
WORKDIR /app
RUN chown app:app /app
COPY --from=build /src/target/quarkus-app ./
USER app
EXPOSE 8080
CMD ["java", "-XX:MaxRAMPercentage=75", "-jar", "quarkus-run.jar"]
