package secret

import (
	"slices"
	"sync"
)

// ours returns rules that gitleaks does not have.
func ours() []rule {
	return slices.Concat(passwords(), inNotes(), byPrefix(), apart(), []rule{
		// RFC 3986 §3.2.1: a password in a URL, except placeholders.
		{
			id: "url-password", regex: `\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@"'<>]{0,80}:([^\s/:@"'<>]{3,200})@[\w.\[-]`, keywords: []string{"://"},
			allowed: []allowance{{regexes: []string{`^[$%{<*]`, `(?i)^(?:pass(?:word)?|pwd|secret|token|x+|your[\w-]*|\.+|user|guest|postgres|root|admin|test|example|changeme)$`, `^\[REDACTED`}}},
		},
		// RFC 9110 §11.6: credentials in a header.
		{
			id: "authorization-header", regex: `(?i)\bauthorization["']?\s{0,3}[:=]\s{0,3}["']?(?:bearer|basic|token|ssws|apikey)\s+([\w.~+/=-]{16,1000})`, entropy: 3, keywords: []string{"authorization"},
		},
	})
}

// Text between a name and a separate value. Nothing indicates there that a value follows, so the
// value must look random.
const (
	// "password for staging": its owner.
	whose = `(?:[ \t](?:for|of|on|at|to|in|von|vom|für|auf|de|del|du|da|para|per)[ \t][^\n.:;=|()]{1,40})?`
	// "password - x", "password (x)", "password [x]".
	behind = `(?:[ \t]{1,3}[-–—][ \t]{1,3}|[ \t][(\[])[\x60"'*]{0,3}`
	// "password:" and x on its own line, with or without fences.
	below = `["'\x60*]{0,3}[ \t]{0,3}[:=]?[*]{0,3}[ \t]{0,3}\r?\n(?:[ \t]{0,8}\r?\n)?[ \t>]{0,12}(?:\x60{3}[\w-]{0,12}\r?\n[ \t]{0,8})?["'\x60*]{0,3}`
	// A link "[x](…)" does not count.
	endsBehind = `[\x60"'*]{0,3}(?:\](?:[^(\[]|$)|[\s,;).]|$)`
	endsLine   = `["'\x60*]{0,3}[ \t]{0,3}(?:\r?\n|$)`

	// A value with an = in it is another name with its value.
	chosenApart = `([^\s"'\x60,;:=<>(){}\[\]\\|]{5,199}(?:[^\s"'\x60,;:=.<>(){}\[\]\\|*]|={1,2}))`
	madeApart   = `([A-Za-z0-9][\w\-/+~.=]{10,198}[\w\-/+~=])`
)

// apart returns rules for values that are separated from their names.
func apart() []rule {
	return []rule{
		{
			id: "password", regex: `(?i)` + passwordNames + apartFrom(chosenApart, chosenValue), mixed: 4, opens: true,
			keywords: passwordKeywords(), allowed: noPassword(),
		},
		{
			id: "generic-api-key", regex: `(?i)` + keyNames + apartFrom(madeApart, madeValue), mixed: 4, entropy: 2.8, opens: true,
			keywords: keyKeywords(), allowed: noKey(),
		},
	}
}

// apartFrom matches the text after a name, with the value; said is a value in a sentence. It is one
// expression, because each rule costs its keywords.
func apartFrom(value, said string) string {
	return `(?:\d{0,2}` + behind + value + endsBehind + `|\d{0,2}` + whose + below + value + endsLine + `|` + whose + isNow + said + `)`
}

// Names and values as people write them in notes: "**Password**: `x`", "| api_key | x |",
// "(api_key=x)", "password (staging): x", "?api_key=x&y", "The API key is x". The rules of gitleaks
// cover the forms of programs.
const (
	// Between the name and the value.
	between = `["'\x60*_]{0,4}(?:\s?\([^()\n]{1,30}\))?["'\x60*]{0,3}[ \t]{0,3}(?:=|:=|=>|:|\|)[ \t]{0,3}[\x60*"']{0,3}[ \t]?[\x60"']?`
	// The same, in a list or a table with markup around name or value.
	dressed = `(?:["'\x60*_]{1,4}(?:\s?\([^()\n]{1,30}\))?[ \t]{0,3}[:=|][*]{0,2}|(?:[*]{1,3}|[ \t]\([^()\n]{1,30}\))[ \t]{0,3}[:=][*]{0,2}|[ \t]{0,20}\||:[*]{1,3})[ \t]{0,20}[\x60*"']{0,3}`
	isNow   = `["'\x60*]{0,3}(?:[ \t]\([^()\n]{1,30}\))?\s(?:is|was|ist|war|es|est|era|è)\s(?:now\s|jetzt\s|ahora\s)?["'\x60*]{0,3}`
	// A generated value and the text after it; not a call "newKey2(".
	madeValue = `([A-Za-z0-9][\w\-/+~.=]{10,198}[\w\-/+~=])(?:[\s"'\x60,;)}\]|&*<]|\.(?:\s|$)|$)`
	// A value chosen by a person.
	chosenValue = `([^\s"'\x60,;<>(){}\[\]\\|]{5,199}[^\s"'\x60,;.:<>(){}\[\]\\|*])(?:[\s"'\x60,;)}\]|*.]|$)`

	keyNames = `(?:(?:api|access|auth|secret|client|refresh|bearer|webhook|signing|private|deploy)[ _-]?(?:key|token|secret)|_token|_secret|_api_?key)`
)

// inNotes returns rules for values named as in notes.
func inNotes() []rule {
	return []rule{
		{
			id: "generic-api-key", regex: `(?i)` + keyNames + `\d{0,2}` + between + madeValue, mixed: 4, entropy: 2.8, opens: true,
			keywords: keyKeywords(), allowed: noKey(),
		},
		{
			id: "generic-api-key", regex: `(?i)` + keyNames + isNow + madeValue, mixed: 4, entropy: 2.8, opens: true,
			keywords: keyKeywords(), allowed: noKey(),
		},
		// Token and secret alone have many meanings: only random-looking values count.
		{
			id: "generic-api-key", regex: `(?i)(?:token|secret)` + `(?:` + dressed + `|[ \t]?=)([A-Za-z0-9][\w-]{14,198}[\w=])(?:[\s"'\x60,;)}\]|&*<]|\.(?:\s|$)|$)`, mixed: 6, entropy: 3.3, opens: true, bounded: true,
			keywords: []string{"token", "secret"}, allowed: noKey(),
		},
		{
			id: "password", regex: `(?i)` + passwordNames + `\d{0,2}` + dressed + chosenValue, mixed: 2, opens: true,
			keywords: passwordKeywords(), allowed: noPassword(),
		},
		// A shell reads the text after = in capitals literally.
		{
			id: "password", regex: `(?:PASSWORD|PASSWD|_PASS|PWD)=["']?([^\s"'\x60,;<>(){}\[\]\\|&$%*.][^\s"'\x60,;<>(){}\[\]\\|&]{4,199})(?:[\s"'\x60,;)&]|$)`, mixed: 1, opens: true,
			keywords: []string{"password=", "passwd=", "_pass=", "pwd="}, allowed: noPassword(),
		},
		{
			id: "password", regex: `["']pass["']\s{0,3}[:=]\s{0,3}["']([^\s"']{6,200})["']`, mixed: 1, opens: true,
			keywords: []string{`"pass"`, `'pass'`}, allowed: noPassword(),
		},
		// Source: the GNU Inetutils manual, "The .netrc file".
		{
			id: "netrc-password", regex: `(?i)(?:machine\s{1,9}\S{1,100}|default)\s{1,9}login\s{1,9}\S{1,100}\s{1,9}password\s{1,9}(\S{4,200})`, opens: true, bounded: true,
			keywords: []string{"machine", "default"}, also: []string{"login", "password"}, allowed: noPassword(),
		},
	}
}

// keyKeywords returns the keywords of rules for keys by name; several share them.
var keyKeywords = sync.OnceValue(func() []string {
	words := []string{"_token", "_secret", "_api_key", "_apikey"}
	for _, what := range []string{"api", "access", "auth", "secret", "client", "refresh", "bearer", "webhook", "signing", "private", "deploy"} {
		for _, by := range []string{"_", "-", " ", ""} {
			for _, thing := range []string{"key", "token", "secret"} {
				words = append(words, what+by+thing)
			}
		}
	}
	return words
})

// noKey returns values that are not keys: placeholders, references, paths and versions.
func noKey() []allowance {
	no := noPassword()[0]
	return []allowance{{regexes: append([]string{`(?:^|/)(?:internal|cmd|src|docs|pkg|lib|test)/`, `\.(?:go|md|ts|js|py|rs|java|json|ya?ml|toml|txt|html?)$`, `^v?\d+\.\d+`, `(?i)EXAMPLE`}, no.regexes...)}}
}

// byPrefix returns rules for tokens with a prefix or context that gitleaks does not have.
func byPrefix() []rule {
	return []rule{
		{id: "docker-hub-token", regex: `dckr_(?:pat|oat)_[\w-]{20,60}`, entropy: 3, opens: true, keywords: []string{"dckr_pat_", "dckr_oat_"}},
		{id: "openrouter-api-key", regex: `sk-or-v1-[A-Za-z0-9]{32,80}`, entropy: 3, opens: true, bounded: true, keywords: []string{"sk-or-v1-"}},
		{id: "groq-api-key", regex: `gsk_[A-Za-z0-9]{40,60}`, entropy: 3, opens: true, bounded: true, keywords: []string{"gsk_"}},
		{id: "xai-api-key", regex: `xai-[A-Za-z0-9]{60,100}`, entropy: 3, opens: true, bounded: true, keywords: []string{"xai-"}},
		{id: "nvidia-api-key", regex: `nvapi-[\w-]{50,80}`, entropy: 3, opens: true, bounded: true, keywords: []string{"nvapi-"}},
		{id: "discord-webhook", regex: `discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,22}/([\w-]{40,100})`, entropy: 3, opens: true, keywords: []string{"discord.com/api/", "discordapp.com/api/"}},
		// Source: docs.stripe.com/webhooks/signature, and the Standard Webhooks specification.
		{id: "webhook-secret", regex: `whsec_[A-Za-z0-9+/=]{24,88}`, entropy: 3, opens: true, bounded: true, keywords: []string{"whsec_"}},
		{id: "google-oauth-secret", regex: `GOCSPX-[\w-]{28}`, entropy: 3, opens: true, bounded: true, keywords: []string{"gocspx-"}},
		{id: "google-oauth-token", regex: `ya29\.[\w-]{40,1000}`, entropy: 3.5, opens: true, bounded: true, keywords: []string{"ya29."}},
		// gitleaks requires the name of Telegram nearby.
		{id: "telegram-bot-token", regex: `\b\d{8,10}:AA[\w-]{33}`, entropy: 4, keywords: []string{":aa"}},
		{id: "supabase-token", regex: `sbp_(?:v0_)?[a-f0-9]{40}`, entropy: 3, opens: true, bounded: true, keywords: []string{"sbp_"}},
		{id: "figma-token", regex: `fig[dorusp]_[\w-]{38,50}`, entropy: 3.5, opens: true, bounded: true, keywords: []string{"figd_", "figo_", "figr_", "figu_", "figs_", "figp_"}},
		{id: "tailscale-key", regex: `tskey-[a-z]{2,12}-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,64}`, entropy: 3, opens: true, bounded: true, keywords: []string{"tskey-"}},
		{id: "netlify-token", regex: `nf[pcou]_[A-Za-z0-9]{36}`, entropy: 3.5, opens: true, bounded: true, keywords: []string{"nfp_", "nfc_", "nfo_", "nfu_"}},
		{id: "replicate-token", regex: `r8_[A-Za-z0-9]{37}`, entropy: 3.5, opens: true, bounded: true, keywords: []string{"r8_"}},
		{id: "notion-token", regex: `ntn_[A-Za-z0-9]{43,50}`, entropy: 3.5, opens: true, bounded: true, keywords: []string{"ntn_"}},
		{id: "new-relic-key", regex: `NRAK-[A-Z0-9]{27}`, entropy: 3, opens: true, bounded: true, keywords: []string{"nrak-"}},
		// A signature grants access to the holder of the URL (Azure Storage, "Create a service SAS").
		{id: "azure-sas", regex: `[?&;]sig=([A-Za-z0-9%+/]{40,100}(?:=|%3[Dd])?)`, entropy: 3.5, keywords: []string{"sig="}, also: []string{"sv="}},
		{id: "sshpass-password", regex: `sshpass\s{1,3}-p\s{0,3}["']?([^\s"'$<{][^\s"']{3,200})`, opens: true, keywords: []string{"sshpass"}, allowed: noPassword()},
	}
}
