# ASP.NET Core on .NET 9.0, written by Berth.
FROM mcr.microsoft.com/dotnet/sdk:9.0 AS build
WORKDIR /src
COPY src/Shop.Api/Shop.Api.csproj ./src/Shop.Api/Shop.Api.csproj
COPY src/Shop.Data/Shop.Data.csproj ./src/Shop.Data/Shop.Data.csproj
RUN --mount=type=cache,target=/root/.nuget/packages dotnet restore src/Shop.Api/Shop.Api.csproj
COPY . .
RUN --mount=type=cache,target=/root/.nuget/packages dotnet publish src/Shop.Api/Shop.Api.csproj --configuration Release --no-restore --output /out -p:UseAppHost=false

FROM mcr.microsoft.com/dotnet/aspnet:9.0
WORKDIR /app
RUN chown app:app /app
COPY --from=build /out ./
USER app
EXPOSE 8080
CMD ["dotnet", "Shop.Api.dll"]
