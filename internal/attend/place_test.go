package attend_test

import (
	"reflect"
	"testing"

	"github.com/alanbuscaglia/engram/internal/attend"
)

func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		name, dir, file string
		want            []string
	}{
		{"nothing", "/src/shop", "", nil},
		{"below the folder", "/src/shop", "/src/shop/pool/conn.go", []string{"pool/conn.go", "shop/pool/conn.go", "src/shop/pool/conn.go"}},
		{"relative", "/src/shop", "./pool/conn.go", []string{"pool/conn.go", "shop/pool/conn.go", "src/shop/pool/conn.go"}},
		{"relative, the folder is not known", "", "pool/conn.go", []string{"pool/conn.go"}},
		{"deep", "/a/b/c/d/e", "f.go", []string{"f.go", "e/f.go", "d/e/f.go", "c/d/e/f.go"}},
		{"outside", "/src/shop", "/etc/passwd", nil},
		{"beside", "/src/shop", "../other/a.go", nil},
		{"the folder itself", "/src/shop", "/src/shop", nil},
		{"absolute, the folder is not known", "", "/src/shop/a.go", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := attend.Places(tt.dir, tt.file); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Places(%q, %q)\n got %q\nwant %q", tt.dir, tt.file, got, tt.want)
			}
		})
	}
}

func TestNamesOf(t *testing.T) {
	for place, want := range map[string][]string{
		"internal/orders/loader.go": {"internal/orders/loader.go", "loader.go", "orders/loader.go"},
		"orders/main.go":            {"orders/main.go"}, // every program has one
		"a/b/index.ts":              {"a/b/index.ts", "b/index.ts"},
		"main.go":                   nil,
		"a/io.go":                   {"a/io.go"},
		"loader.go":                 {"loader.go"},
	} {
		got := attend.NamesOf(place)
		if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("NamesOf(%q)\n got %q\nwant %q", place, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		text, name string
		want       bool
	}{
		{"it lives in orders/loader.go", "orders/loader.go", true}, {"see loader.go.", "loader.go", true}, {"(loader.go:12)", "loader.go", true},
		{"preloader.go", "loader.go", false}, {"loader.gold", "loader.go", false}, {"loader.go.orig", "loader.go", false}, {"my-loader.go", "loader.go", false},
		{"reloader.go and loader.go", "loader.go", true}, {"", "loader.go", false}, {"x", "", false},
	} {
		if got := attend.Names(tt.text, tt.name); got != tt.want {
			t.Errorf("Names(%q, %q) = %v, want %v", tt.text, tt.name, got, tt.want)
		}
	}
}
