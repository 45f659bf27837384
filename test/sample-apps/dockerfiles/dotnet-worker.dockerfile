# An application on .NET 8.0, written by Berth.
FROM mcr.microsoft.com/dotnet/sdk:8.0.100 AS build
WORKDIR /src
COPY Worker.csproj ./Worker.csproj
COPY global.json ./global.json
RUN --mount=type=cache,target=/root/.nuget/packages dotnet restore Worker.csproj
COPY . .
RUN --mount=type=cache,target=/root/.nuget/packages dotnet publish Worker.csproj --configuration Release --no-restore --output /out -p:UseAppHost=false

FROM mcr.microsoft.com/dotnet/runtime:8.0
WORKDIR /app
RUN chown app:app /app
COPY --from=build /out ./
USER app
EXPOSE 8080
CMD ["dotnet", "Worker.dll"]
