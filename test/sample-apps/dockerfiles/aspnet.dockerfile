# ASP.NET Core on .NET 9.0, written by Berth.
FROM mcr.microsoft.com/dotnet/sdk:9.0 AS build
WORKDIR /src
COPY Shop.csproj ./Shop.csproj
RUN --mount=type=cache,target=/root/.nuget/packages dotnet restore Shop.csproj
COPY . .
RUN --mount=type=cache,target=/root/.nuget/packages dotnet publish Shop.csproj --configuration Release --no-restore --output /out -p:UseAppHost=false

FROM mcr.microsoft.com/dotnet/aspnet:9.0
WORKDIR /app
RUN chown app:app /app
COPY --from=build /out ./
USER app
EXPOSE 8080
CMD ["dotnet", "Shop.dll"]
