package main

import (
	"runtime/debug"
	"strings"
)

// version is set by the release build: -ldflags "-X main.version=1.2.3".
var version string

// built is set by the release build, too: the day of the source, 2006-01-02.
var built string

// sourceDay returns the day of the source: that of the release or of the commit.
func sourceDay() string {
	if built != "" {
		return built
	}
	info, ok := debug.ReadBuildInfo() // takes a fiftieth of a start
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			day, _, _ := strings.Cut(s.Value, "T")
			return day
		}
	}
	return ""
}

// programVersion returns the version of the release or of `go install …@v1.2.3`, else "dev".
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
