package contradiction

import (
	"strings"
	"sync"
)

// role is the function of a word in a clause.
type role uint8

const (
	content   role = iota // names the subject
	scopeWord             // content that limits where something holds
	numeral
	grammar // pronouns, auxiliaries, conjunctions
	article
	lead   // prepositions that can precede a name
	limit  // prepositions of purpose, possession and time
	light  // verbs with little meaning: use, have, run
	using  // those of them that can precede a name
	choice // verbs of choosing, which can precede a name
	office // verbs with a single person as subject: owns
	negator
	breaker // begins another clause: because
	instead // introduces what is rejected: instead of
	eventWord
)

// axis is a pair of opposites.
type axis uint8

// The axis of verdicts has its own kind.
const (
	noAxis axis = iota
	verdict
	firstOpposite
)

// entry describes a word.
type entry struct {
	role  role
	axis  axis
	sign  int8
	marks mark
	stem  string  // of forms that the stemmer does not unify
	value float64 // of number words
}

// opposites lists the ends of axes, one axis per line. English, Spanish, German, French.
const opposites = `
allow allowed allows permit permitted legal permitido erlaubt permis | forbid forbids forbidden prohibit prohibited disallow disallowed banned prohibido prohibida verboten interdit
enable enabled enables active activated activado activada activo aktiv aktiviert activé | disable disabled disables inactive deactivated desactivado desactivada inactivo deaktiviert désactivé
increase increases increased raises grow grows aumenta steigt erhöht | reduce reduces reduced decrease decreases decreased lower lowers lowered shrinks reduce disminuye senkt sinkt
synchronous synchronously sync síncrono synchron | asynchronous asynchronously async asíncrono asynchron
public publicly público pública öffentlich | private privately privado privada privat
automatic automatically auto automático automáticamente automatisch | manual manually byhand manualmente manuell
optimistic optimistically optimista | pessimistic pessimistically pesimista
soft softly | hard
require requires required mandatory compulsory must obligatorio obligatoria pflicht | optional optionally opcional
include includes included including contain contains | exclude excludes excluded omit omits omitted
optin | optout
fast faster quick quicker rápido rápida schnell | slow slower lento lenta langsam
high higher alto alta hoch | low bajo baja niedrig
strict strictly estricto streng | lenient loose lax
mutable | immutable readonly
eager eagerly | lazy lazily
ascending | descending
persistent persisted durable | ephemeral transient
stateful | stateless
centralized central | decentralized distributed
single | multiple several
long larger bigger | short smaller
first | last
open opened abierto offen | closed close cerrado geschlossen
present | absent missing
like likes liked love loves loved enjoy enjoys gusta encanta mag liebt | dislike dislikes disliked hate hates hated detest detests loathes odia hasst hasse
before antes | after después
encrypted cifrado verschlüsselt | plaintext unencrypted
keep keeps | discard discards drop drops
`

// verdicts lists the ends of the axis of verdicts.
const verdicts = `
accept accepted accepts adopt adopted adopts approve approved approves endorsed agreed kept works work working worked
succeeded succeeds success successful passed confirmed proven recommend recommended recommends fixed resolved
supported good great better best stable reliable suitable viable safe merged green healthy valid correct right chosen
aceptado aceptada aprobado aprobada adoptado adoptada funciona funcionan confirmado confirmada recomendado arreglado correcto bueno mejor
angenommen akzeptiert genehmigt funktioniert bestätigt empfohlen behoben stabil gut besser
accepté acceptée approuvé approuvée fonctionne confirmé adopté
| reject rejected rejects abandon abandoned decline declined declines dismissed vetoed dropped fails failed fail failing failure
reverted refuted disproved disproven broken breaks unstable unreliable unsuitable unsafe deprecated retired scrapped bad worse worst poor ignored
discouraged unsupported cancelled canceled obsolete buggy wrong invalid incorrect red unhealthy discarded blocked
rechazado rechazada abandonado abandonada descartado descartada falla fallan falló fallido roto rota obsoleto obsoleta malo peor incorrecto
abgelehnt verworfen verworfen scheitert gescheitert kaputt veraltet schlecht schlechter instabil zurückgewiesen
rejeté rejetée refusé refusée abandonné échoue échoué obsolète
`

// vocabulary lists words with a role of their own.
var vocabulary = [...]string{
	grammar: `i we you he she it they our my your their its his her us them this that these those there here
		is are was were be been being do does did done has had having will would shall should can could may might
		and or also too very just only even ever still yet now then today currently already always every each all any some both
		such same other another as more most much many few less least what who whom whose how why where when if than rather at
		s t d m re ve ll o y longer anymore exactly about around roughly again new
		lo se su sus que e también muy ya siempre cada todo todos toda todas es son fue fueron ser está están ha han
		wir ich sie er und oder auch sehr immer jetzt schon jeder jedes jede jedem jeden alle ist sind war waren wird werden wurde wurden hat haben mehr man sich dem
		nous il elle ils elles et ou aussi très toujours est sont été ont`,
	article: `a an the un una unos unas el la los las der die das den ein eine einen einem einer le les des`,
	lead: `with in by to on over from into via through under behind onto upon inside called named
		con en por al del sobre desde mediante llamado
		mit auf bei im am vom zum zur über durch aus
		du au aux avec dans sur par`,
	limit: `for of during within against between above below per up down out off
		para de durante entre
		für von zwischen vor nach um
		pour pendant`,
	using: `use uses used using utilize utilizes run runs running ran
		usamos usan usa usar utilizamos utiliza utilizan uso
		nutzen nutzt benutzen benutzt verwenden verwendet
		utilisons utilise utilisent`,
	light: `have need needs needed get gets got go goes set sets make makes made put puts take takes
		lives live stands stand stays stay holds hold comes come keeps keep want wants like likes happen happens let lets give gives
		tiene tenemos tienen läuft laufen`,
	choice: `choose chose chosen picked pick selected select settled switched moved migrated prefer prefers preferred decided adopted went
		elegimos elegido elegida preferimos prefiere wählten gewählt choisi choisissons`,
	office: `own owns maintain maintains lead leads manages administers`,
	negator: `no not never none without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt mustnt hasnt havent
		hadnt couldnt neednt neither nor stop stopped stops ceased quit avoid avoids refuse refuses
		nunca jamás jamas sin tampoco ningún ningun ninguna ninguno dejamos
		nicht kein keine keinen keiner keines keinem nie niemals ohne
		ne pas jamais sans aucun aucune`,
	breaker: `because since so while although though but until till unless once whereas therefore hence which
		porque pues pero mientras aunque
		weil denn aber obwohl während sondern damit
		parce car mais`,
	instead: `instead statt anstatt`,
	eventWord: `found met landed bump bumps bumped upgraded updated released finished yesterday corregido corregí
		behoben corrigé`,
	scopeWord: `staging production prod dev development local test tests testing ci qa preview sandbox demo
		frontend backend client server web mobile desktop browser ios android linux macos mac windows arm amd64 x86
		free team enterprise pro admin admins viewer viewers editor editors guest eu emea apac
		nightly weekly daily monthly internal external public legacy read reads write writes
		january february march april june july august september october november december
		producción desarrollo pruebas produktion entwicklung`,
}

// lexicon describes all known words, by folded form. It is built on first use, because most
// commands compare no texts.
var lexicon = sync.OnceValue(func() map[string]entry {
	m := map[string]entry{}
	for r, words := range vocabulary {
		for w := range strings.FieldsSeq(words) {
			m[foldWord(w)] = entry{role: role(r)}
		}
	}
	ends := func(line string, a axis) {
		plus, minus, _ := strings.Cut(line, "|")
		for i, words := range []string{plus, minus} {
			for w := range strings.FieldsSeq(words) {
				e := m[foldWord(w)]
				e.axis, e.sign = a, int8(1-2*i)
				m[foldWord(w)] = e
			}
		}
	}
	a := firstOpposite
	for line := range strings.SplitSeq(strings.TrimSpace(opposites), "\n") {
		ends(line, a)
		a++
	}
	ends(strings.ReplaceAll(verdicts, "\n", " "), verdict)
	for w, base := range irregular() {
		e := m[w]
		e.stem = stemOf(base)
		m[w] = e
	}
	for i, words := range marked {
		for w := range strings.FieldsSeq(words) {
			e := m[w]
			e.marks |= 1 << i
			m[w] = e
		}
	}
	for w, value := range numberWords() {
		m[w] = entry{role: numeral, value: value}
	}
	return m
})
