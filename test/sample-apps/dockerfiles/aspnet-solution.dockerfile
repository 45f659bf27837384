# ASP.NET Core on .NET 8.0, written by Berth.
FROM mcr.microsoft.com/dotnet/sdk:8.0 AS build
WORKDIR /src
COPY src/Core/Core.csproj ./src/Core/Core.csproj
COPY src/Web/Web.csproj ./src/Web/Web.csproj
COPY Directory.Packages.props ./Directory.Packages.props
RUN --mount=type=cache,target=/root/.nuget/packages dotnet restore src/Web/Web.csproj
COPY . .
RUN --mount=type=cache,target=/root/.nuget/packages dotnet publish src/Web/Web.csproj --configuration Release --no-restore --output /out -p:UseAppHost=false

FROM mcr.microsoft.com/dotnet/aspnet:8.0
WORKDIR /app
RUN chown app:app /app
COPY --from=build /out ./
USER app
EXPOSE 8080
CMD ["dotnet", "Shop.Web.dll"]
