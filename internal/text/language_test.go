package text_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/text"
)

// tokensOf returns the tokens of a memory, as ScanMemory gives them.
func tokensOf(title, content string) (all []text.Token) {
	add := func(t text.Token) { all = append(all, t) }
	text.ScanMemory(title, content, add, add)
	return all
}

// formsOf returns the foreign forms of a text without their mark.
func formsOf(content string) (all []string) {
	for _, t := range tokensOf("", content) {
		if stem := t.Foreign(); stem != "" {
			all = append(all, strings.TrimPrefix(stem, text.ForeignMark))
		}
	}
	return all
}

func TestTextsHaveStemsOfTheirLanguage(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"Danish", "Vi har besluttet at bruge køer til alle beskeder", "beslut brug koer besked"},
		{"Dutch", "We hebben besloten de wachtrijen te gebruiken voor alle berichten", "beslot wachtrij gebruik bericht"},
		{"Finnish", "Me päätimme että kaikki viestit ovat nyt jonossa", "paati viest jono"},
		{"French", "Nous avons décidé d'utiliser les files pour l’envoi", "decid utilis fil envoi"},
		{"German", "Wir haben entschieden, dass die Häuser eine Sperre haben", "entschied haus sperr"},
		{"Italian", "Abbiamo deciso che le code sono usate per l'invio", "decis cod usat invi"},
		{"Norwegian", "Vi har bestemt at ikke alle meldinger skal hvile i køene", "bestemt melding hvil koen"},
		{"Portuguese", "Nós decidimos que as filas são usadas para o envio", "decid fil usad envi"},
		{"Russian", "Мы решили, что очереди нужны для писем", "реш очеред нужн пис"},
		{"Spanish", "Decidimos que las colas se usan para el envío", "decid col usan envi"},
		{"Swedish", "Vi har bestämt att köerna är till för meddelanden", "bestamt koern meddel"},
		{"English has none", "We decided that the queues are used for mail", ""},
		{"nor has code", "func main() { var c, l, e int; for n := range c { l += e; c -= n } }", ""},
		{"nor names in English", "Rio de la Plata is the name of the release, and la the branch", ""},
		{"nor a name alone", "Rio de Janeiro", ""},
		{"English quoted in German", "Der Fehler war »the file is gone«, und das ist nicht wahr", "fehl fil gon wahr"},
		{"names with digits have no stem", "Wir haben das mit utf8 und k8s nicht getan", "getan"},
		{"too little to tell", "el lock", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(formsOf(tt.in), " "); got != tt.want {
				t.Errorf("of %q\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

// Stems keep accents until they are stemmed: Snowball knows the endings with them.
func TestStemsOfFormsWithAccents(t *testing.T) {
	frame := map[string]string{
		"es": "esto es lo que nosotros tenemos para la ", "pt": "isto é o que nós temos para a ", "fr": "ceci est ce que nous avons pour la ",
		"ru": "это то что у нас есть для ", "de": "das ist es was wir haben und nicht die ",
	}
	for _, tt := range []struct {
		in   string
		same []string
	}{
		{"es", []string{"configuración", "configuraciones"}}, {"pt", []string{"configuração", "configurações"}}, {"fr", []string{"décidé", "décidée", "décidés"}},
		{"ru", []string{"новый", "новые", "нового"}}, {"de", []string{"Sperre", "Sperren"}},
	} {
		first := ""
		for _, w := range tt.same {
			forms := formsOf(frame[tt.in] + w)
			if last := forms[len(forms)-1]; first == "" {
				first = last
			} else if last != first {
				t.Errorf("%q has the stem %q, %q has %q", tt.same[0], first, w, last)
			}
		}
	}
}

// Constants of the ranking are tuned on the words of English texts: what other languages need may not change them.
func TestEnglishHasTheWordsThatScanGives(t *testing.T) {
	for _, s := range []string{prose, "Chose JWT over sessions", "", "getUserName and it's C++", "the naïve café of the Zürich office is closed",
		strings.Repeat("x.y = z; ", 40), "Locales: de, es, fr; the default is en. Die Hard, El Niño"} {
		var want []text.Token
		text.Scan(s, func(t text.Token) { want = append(want, t) })
		if got := tokensOf("", s); !slices.Equal(got, want) {
			t.Errorf("of %q\n got %+v\nwant %+v", s, got, want)
		}
		for _, tok := range want {
			if tok.Foreign() != "" {
				t.Errorf("%q in %q has the foreign form %q", tok.Word, s, tok.Foreign())
			}
		}
	}
}

func TestQuestionsHaveStemsOfTheLanguagesTheyMayBeIn(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"English needs none", "why did we choose tokens?", "choos token"},
		{"a language", "¿qué decidimos sobre las migraciones?", "decidimo/decid migracion/migracion"},
		{"several, where the stop words are of several", "migración de usuarios", "migracion/migracion usuario/usuario,usuarios,usuari"},
		{"all, where there is none", "migraciones", "migracion/migracion,migraciones"},
		{"in a script of its own", "миграции", "миграции/миграц"},
		{"an article before an apostrophe", "où est l’équipe ?", "equip/equip"},
		{"more words without a stop word are code", "alpha beta gamma delta epsilon zeta eta theta iota", "alpha beta gamma delta epsilon zeta eta theta iota"},
		{"a name with a digit", "oauth2 k8s", "oauth2 k8s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, term := range text.Query(tt.in) {
				word := term.Word
				if len(term.Also) > 0 {
					word += "/" + strings.ReplaceAll(strings.Join(term.Also, ","), text.ForeignMark, "")
				}
				got = append(got, word)
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("Query(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

// A question of stop words alone has nothing else; in English, too.
func TestQuestionsOfStopWordsAlone(t *testing.T) {
	for _, q := range []string{"what is this about", "¿qué es esto y por qué?", "was ist das und warum?", "qu'est-ce que c'est ?", "o que é isso?",
		"che cosa è questo?", "что это такое и почему", "wat is dit en waarom?", "vad är det här?", "mitä se on?", "怎么样？", "为什么呢", "何ですか"} {
		terms := text.Query(q)
		if len(terms) == 0 {
			t.Errorf("Query(%q) has no term", q)
		}
		for _, term := range terms {
			if !term.Stop {
				t.Errorf("Query(%q) asks for %q", q, term.Word)
			}
		}
	}
}

// The topic of a question remains of scripts without spaces.
func TestTopicsInScriptsWithoutSpaces(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"Chinese", "你还记得我们关于数据库锁做了什么决定吗？", "数据 据库 库锁 决定"},
		{"in traditional characters", "為什麼快取的鎖會遺失？", "快取 鎖會 會遺 遺失"},
		{"beside Latin", "Redis 的锁是什么", "redi 锁"},
		{"Japanese", "データベースのロックについて何を決めましたか", "デー ータ タベ ベー ース ロッ ック 決め"},
		{"Japanese particles alone are all there is", "まとめ", "まと とめ"},
		{"Korean", "데이터베이스 잠금에 대해 무엇을 결정했는지 기억하나요?", "데이 이터 터베 베이 이스 잠금 결정"},
		{"Korean without particles", "잠금", "잠금"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, term := range text.Query(tt.in) {
				got = append(got, term.Word)
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("Query(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

// Whatever a text says, its forms are words: without a mark within, in lower case, and equal for the same text.
func TestForeignFormsAreWords(t *testing.T) {
	word := rapid.SampledFrom(strings.Fields("и не что nicht die der und häuser que las migraciones l’eau och är på että 数据 データ don't ﬁle ÇÃO Ёлка a-b_c x1 \xff"))
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.OneOf(word, rapid.String()), 0, 20).Draw(t, "words"), " ")
		first, again := tokensOf("", s), tokensOf("", s)
		if !slices.Equal(first, again) {
			t.Fatalf("of %q: %v, then %v", s, first, again)
		}
		for _, tok := range first {
			stem, marked := strings.CutPrefix(tok.Foreign(), text.ForeignMark)
			if strings.Contains(stem, text.ForeignMark) || marked && stem == "" || strings.ToLower(stem) != stem || strings.Contains(tok.Text(), text.ForeignMark) {
				t.Fatalf("%+v in %q has the forms %q and %q", tok, s, tok.Text(), tok.Foreign())
			}
		}
	})
}
