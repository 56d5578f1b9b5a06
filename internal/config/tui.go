package config

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// looks are the settings of the terminal UI.
func looks() []setting {
	return []setting{
		{Key: Key{Name: "tui_theme", Env: []string{"ENGRAM_TUI_THEME"}, Flag: "--theme of tui", Like: "contrast", Range: "`" + strings.Join(theme.Names(), "`, `") + "`",
			About: "colours of the [terminal UI](tui.md); `auto`: Catppuccin Mocha or Latte by the terminal's background"}, preset: "auto",
			set: setTUITheme, get: func(c Config) string { return c.TUITheme }},
		{Key: Key{Name: "tui_keys", Env: []string{"ENGRAM_TUI_KEYS"}, Default: "the built-in keys", Like: "forget=x, new=N ctrl+n", Range: "`ACTION=KEY`, separated by commas",
			About: "[keys](tui.md#keys) of the terminal UI"},
			set: setTUIKeys, get: func(c Config) string { return c.TUIKeys }},
	}
}

func setTUITheme(c *Config, _ paths, v string) error {
	if v = strings.ToLower(strings.TrimSpace(v)); !theme.Known(v) {
		return fmt.Errorf("%.40q is no theme; use one of %s", v, strings.Join(theme.Names(), ", "))
	}
	c.TUITheme = v
	return nil
}

func setTUIKeys(c *Config, _ paths, v string) error {
	if v = strings.TrimSpace(v); v != "" { // most commands have no use for the built-in keys
		if _, err := keymap.Parse(v); err != nil {
			return err
		}
	}
	c.TUIKeys = v
	return nil
}

// Terminal returns the variables that describe a terminal, for the terminal UI; plain is without colours, whatever they say.
func Terminal(env func(string) (string, bool), plain bool) (all []string) {
	if plain {
		all = append(all, "NO_COLOR=1")
	}
	for _, name := range []string{"TERM", "COLORTERM", "CLICOLOR", "CLICOLOR_FORCE", "COLORFGBG", "TERM_PROGRAM", "TMUX", "STY", "SSH_TTY", "WT_SESSION", "GOOGLE_CLOUD_SHELL"} {
		if v, ok := env(name); ok {
			all = append(all, name+"="+v)
		}
	}
	return all
}
