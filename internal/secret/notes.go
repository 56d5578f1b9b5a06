package secret

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

func keyKeywords() []string {
	words := []string{"_token", "_secret", "_api_key", "_apikey"}
	for _, what := range []string{"api", "access", "auth", "secret", "client", "refresh", "bearer", "webhook", "signing", "private", "deploy"} {
		for _, by := range []string{"_", "-", " ", ""} {
			for _, thing := range []string{"key", "token", "secret"} {
				words = append(words, what+by+thing)
			}
		}
	}
	return words
}

// noKey returns values that are not keys: placeholders, references, paths and versions.
func noKey() []allowance {
	no := noPassword()[0]
	return []allowance{{regexes: append([]string{`(?:^|/)(?:internal|cmd|src|docs|pkg|lib|test)/`, `\.(?:go|md|ts|js|py|rs|java|json|ya?ml|toml|txt|html?)$`, `^v?\d+\.\d+`, `(?i)EXAMPLE`}, no.regexes...)}}
}
