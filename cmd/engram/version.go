package main

import (
	"runtime/debug"
	"strings"
)

// version is set by the release build: -ldflags "-X main.version=1.2.3".
var version string

// built is set by it too: the day of the source, 2006-01-02.
var built string

// sourceDay is the day of the commit that the program was built from.
func sourceDay() string {
	info, ok := debug.ReadBuildInfo()
	if built != "" || !ok {
		return built
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			day, _, _ := strings.Cut(s.Value, "T")
			return day
		}
	}
	return ""
}

// programVersion is the release's version, that of `go install …@v1.2.3`, or "dev".
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || strings.HasPrefix(info.Main.Version, "(devel)") || strings.HasPrefix(info.Main.Version, "v0.0.0-") {
		return "dev"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}
