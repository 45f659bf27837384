# An application on Java 21 with Gradle, written by Berth.
FROM eclipse-temurin:21-jdk AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.gradle sh ./gradlew --no-daemon installDist -x test
RUN cp -R app/build/install/*/ /out \
 && rm /out/bin/*.bat && mv /out/bin/* /out/bin/start

FROM eclipse-temurin:21-jre
RUN useradd --system --create-home --uid 10001 app
ENV JAVA_OPTS=-XX:MaxRAMPercentage=75
WORKDIR /app
RUN chown app:app /app
COPY --from=build /out ./
USER app
EXPOSE 8080
CMD ["bin/start"]
