// Package spec writes instruction sets as data: a Document has everything that another tool needs to decode, print and
// describe one. heddle spec --json prints it; docs/spec.md explains its use, and Schema is its JSON Schema, made from
// the types here. The tag doc of a field is its description.
//
// A Document is made from the tables with which heddle itself works. Texts of operands are tabulated from their
// printers; a test makes a decoder from the document alone and compares it with that of package isa.
package spec

// Format is the version of the format. It changes if readers of the previous version would misread it.
const Format = 1

type (
	// A Run is the lowest and the highest bit of a range of bits, both included. Bit 0 is the lowest bit of the first
	// byte in memory.
	Run [2]int
	// A Field is the ranges of bits of a number, its lowest bits first.
	Field []Run
	// A Span is the lowest and the highest of consecutive values.
	Span [2]uint64
	// A Hex is a number as 0x and hexadecimal digits: words do not fit in numbers of JSON.
	Hex string
)

// A Document is an instruction set, or one variant of it.
type Document struct {
	Format    int        `json:"format" doc:"version of this format"`
	ISA       string     `json:"isa" doc:"name of the instruction set"`
	Doc       string     `json:"doc" doc:"what it is"`
	Unit      int        `json:"unit" doc:"bytes: instructions are multiples of this"`
	Longest   int        `json:"longest" doc:"bytes of the longest instruction, literals included"`
	Variants  []Variant  `json:"variants" doc:"generations of the set; others are named by their index"`
	Stages    []Stage    `json:"stages" doc:"stages on which decoding depends; empty: it depends on none"`
	Classes   []Class    `json:"classes" doc:"parts that bundles are made of, each decoded among rows of its class; empty: an instruction is one row"`
	Text      Text       `json:"text" doc:"how instructions are written"`
	Machines  []Machine  `json:"machines" doc:"state that instructions read and write, by variant"`
	Modes     []Mode     `json:"modes" doc:"fields of the mode register that change what instructions do"`
	Options   []Option   `json:"options" doc:"choices where sources are silent"`
	Encodings []Encoding `json:"encodings" doc:"layouts; others name them by index"`
	Kinds     []Kind     `json:"kinds" doc:"what fields hold and how it is written; others name them by index"`
	Forms     []Form     `json:"forms" doc:"lists of operands and modifiers that rows share; rows name them by index"`
	Rows      []Row      `json:"rows" doc:"instructions, each in one encoding"`
	Meanings  []Meaning  `json:"meanings" doc:"meanings of the examples of rows; rows name them by index"`
	Gaps      []Gap      `json:"gaps" doc:"what is known of words that no row has: the first that fits says it"`
	Group     *Group     `json:"group,omitempty" doc:"how bundles of several parts are taken apart"`
	Rules     []Rule     `json:"rules" doc:"what programs must keep to although what breaks it decodes"`
	Entries   []Entry    `json:"entries" doc:"instructions as the reference lists them, where rows stand for parts of one or for several"`
	Ops       []Op       `json:"ops" doc:"ops of the IR in which meanings are written"`
	Sources   []Source   `json:"sources" doc:"sections that sources cite"`
}

// A Variant is a generation.
type Variant struct {
	Name    string   `json:"name" doc:"as heddle calls it"`
	Aliases []string `json:"aliases" doc:"names that other tools use"`
	Doc     string   `json:"doc" doc:"what it is"`
}

// A Stage is one on which decoding depends.
type Stage struct {
	Name string `json:"name" doc:"as heddle calls it"`
	Also string `json:"also,omitempty" doc:"what others call it"`
}

// A Class is a kind of part of a bundle.
type Class struct {
	Name string `json:"name" doc:"what a part of it is called"`
	View bool   `json:"view,omitempty" doc:"its parts lie in the bytes of the part before them, and have no size"`
}

// Text is the syntax of instructions.
type Text struct {
	Separator string   `json:"separator" doc:"between operands"`
	Ends      string   `json:"ends" doc:"characters at which a mnemonic may end and a suffix begin"`
	Dialects  []string `json:"dialects" doc:"styles; texts in this document are of the first; empty: there is one"`
	Comments  []string `json:"comments" doc:"what opens a comment"`
	Long      string   `json:"long,omitempty" doc:"what precedes text that asks for a form that is not short"`
	AnyCase   bool     `json:"any_case,omitempty" doc:"mnemonics are read in letters of both cases"`
	Pairs     bool     `json:"pairs,omitempty" doc:"instructions of one unit come in pairs: two in a row, without a label between"`
}

// A Machine is the state of a wave.
type Machine struct {
	Variants []int  `json:"variants" doc:"that have it"`
	Widths   []int  `json:"widths" doc:"lanes of a wave, the default first"`
	Control  string `json:"control" doc:"how lanes diverge and reconverge" enum:"control"`
	Files    []File `json:"files" doc:"files of registers"`
	ModeMask Hex    `json:"mode_mask" doc:"bits of the mode register that change what instructions do; 0: there is none"`
}

// A File is registers of a kind.
type File struct {
	Name  string `json:"name" doc:"in IR: register n is its name and n"`
	Kind  string `json:"kind" doc:"what a register holds: bits a lane or a wave" enum:"cell"`
	Count int    `json:"count" doc:"registers" min:"1"`
}

// A Mode is a field of the mode register.
type Mode struct {
	Name   string   `json:"name" doc:"what it says"`
	Of     string   `json:"of,omitempty" doc:"type that it is for"`
	Bits   Field    `json:"bits" doc:"of the mode register"`
	Values []string `json:"values" doc:"names, by value"`
	Doc    string   `json:"doc" doc:"what it does"`
	Source string   `json:"source" doc:"document and section"`
}

// An Option selects semantics where sources are silent.
type Option struct {
	Name    string   `json:"name" doc:"as of the flag --option"`
	Values  []string `json:"values" doc:"what can be chosen"`
	Default string   `json:"default" doc:"what examples and meanings here were made with"`
	Doc     string   `json:"doc" doc:"what it chooses"`
	Source  string   `json:"source" doc:"document and section"`
}

// An Encoding is a layout.
type Encoding struct {
	Name      string        `json:"name" doc:"as the reference calls it; layouts of several variants may share it"`
	Bits      int           `json:"bits" doc:"without literal" min:"8"`
	Fixed     []Fixed       `json:"fixed" doc:"bits that tell it from others"`
	Opcode    Field         `json:"opcode" doc:"the bits of a row's opcode; empty: rows have none"`
	Fields    []LayoutField `json:"fields" doc:"what rows may have operands and modifiers in"`
	Literal   *Literal      `json:"literal,omitempty" doc:"a constant that may follow"`
	Unclaimed string        `json:"unclaimed" doc:"what set bits mean that neither layout nor row claim: zero: the word is reserved; ignored: hardware ignores them; unknown: no source says" enum:"unclaimed"`
	First     bool          `json:"first,omitempty" doc:"its rows win over those of others that match the same word"`
	Source    string        `json:"source" doc:"document and section"`
}

// Fixed is bits with a fixed value.
type Fixed struct {
	Bits  Run `json:"bits" doc:"lowest and highest"`
	Value Hex `json:"value" doc:"what they hold"`
}

// A LayoutField is a named field of a layout.
type LayoutField struct {
	Name string `json:"name" doc:"as operands and modifiers name it"`
	Bits Field  `json:"bits" doc:"where it lies"`
}

// A Literal is a constant after an instruction.
type Literal struct {
	Bits   Run      `json:"bits" doc:"where it lies; an instruction with it ends with it"`
	Always bool     `json:"always,omitempty" doc:"all instructions have it"`
	Fields []string `json:"fields" doc:"an instruction has it if an operand of one of these names holds code"`
	Code   uint64   `json:"code" doc:"value of an operand that asks for it"`
}

// A Kind describes the values of a field.
type Kind struct {
	Name     string     `json:"name" doc:"what it is"`
	Bits     int        `json:"bits" doc:"of the field" min:"0"`
	Reserved []Span     `json:"reserved" doc:"values that no instruction may hold"`
	Cases    []Case     `json:"cases" doc:"texts: those of the first case that fits; empty: it has no text, or needs says on what that depends"`
	Needs    *Needs     `json:"needs,omitempty" doc:"values of which no list gives the texts"`
	Reads    []Spelling `json:"reads" doc:"more texts that are read"`
}

// Needs are values without a text here.
type Needs struct {
	Values []Span   `json:"values" doc:"which"`
	On     []string `json:"on" doc:"what their texts depend on: fields, parts, literal, address, value (a number in a form of its own), front (what precedes it)"`
}

// A Case is the texts of values, under conditions on other bits.
type Case struct {
	If     []FieldIn `json:"if" doc:"all of these hold of the word; empty: of all words"`
	Values []Texts   `json:"values" doc:"texts of values; those in none print nothing"`
}

// Texts are the texts of consecutive values.
type Texts struct {
	From  uint64 `json:"from" doc:"first value"`
	To    uint64 `json:"to" doc:"last value"`
	Text  string `json:"text" doc:"in it {a*s} stands for the number a + s (value - from) in decimal digits, {a*s:x} in hexadecimal ones"`
	Close string `json:"close,omitempty" doc:"of a part around its operand: what follows the operand"`
}

// A Spelling is a text that is read as a value but not printed.
type Spelling struct {
	Text  string `json:"text" doc:"what is read"`
	Value uint64 `json:"value" doc:"what it is read as"`
}

// FieldIn is bits that hold one of some values.
type FieldIn struct {
	Bits Field  `json:"bits" doc:"of the word"`
	In   []Span `json:"in" doc:"values, one of which they hold; empty: any"`
}

// A Form is operands and modifiers.
type Form struct {
	Args []Arg `json:"args" doc:"in the order in which they print"`
}

// An Arg is an operand or a modifier.
type Arg struct {
	Name     string `json:"name" doc:"what it is called"`
	Place    string `json:"place" doc:"the place of its text: operand: after the mnemonic; suffix: at the mnemonic; prefix: before it; modifier, required: after the operands; hidden: nowhere" enum:"place"`
	Bits     Field  `json:"bits" doc:"where its value lies; empty: it has none, and the value is 0"`
	Kind     int    `json:"kind" doc:"index in kinds" min:"0"`
	Role     string `json:"role,omitempty" doc:"what the instruction does with what it names; varies: that depends on the word" enum:"role"`
	Width    int    `json:"width,omitempty" doc:"bits of what it names"`
	Default  uint64 `json:"default,omitempty" doc:"value of one that text leaves out"`
	Tight    bool   `json:"tight,omitempty" doc:"an operand without separator in front"`
	Optional bool   `json:"optional,omitempty" doc:"an operand that text may leave out"`
	Needed   bool   `json:"needed,omitempty" doc:"a suffix that text must have"`
	Parts    []Part `json:"parts" doc:"pieces of it beside its value: signs, swizzles, banks"`
}

// A Part is a modifier or another part of an operand.
type Part struct {
	Name    string `json:"name" doc:"what it is called"`
	Side    string `json:"side" doc:"the place of its text; silent: that of the operand implies it" enum:"side"`
	Bits    Field  `json:"bits" doc:"where its value lies; empty: its text is known and refused"`
	Kind    int    `json:"kind" doc:"index in kinds" min:"0"`
	Default uint64 `json:"default,omitempty" doc:"value of one that text leaves out"`
	Shared  bool   `json:"shared,omitempty" doc:"its bits are one field for all operands that have it"`
}

// A Row is an instruction in one encoding.
type Row struct {
	Name         string      `json:"name" doc:"mnemonic"`
	Spell        []string    `json:"spell,omitempty" doc:"mnemonic by dialect; empty text: the name"`
	Also         []string    `json:"also,omitempty" doc:"more names under which it is read"`
	Variants     []int       `json:"variants" doc:"that have it"`
	Stages       []int       `json:"stages,omitempty" doc:"that have it; missing: all"`
	Class        int         `json:"class,omitempty" doc:"index in classes"`
	Encoding     int         `json:"encoding" doc:"index in encodings" min:"0"`
	Opcode       uint64      `json:"opcode" doc:"what the opcode of the encoding holds"`
	Fixed        []Fixed     `json:"fixed,omitempty" doc:"more bits that tell it from others"`
	Mask         Hex         `json:"mask" doc:"bits that tell it from others, all together"`
	Match        Hex         `json:"match" doc:"what these hold"`
	Claimed      Hex         `json:"claimed" doc:"bits that have a meaning, without the literal"`
	Idle         Hex         `json:"idle,omitempty" doc:"what the others assemble as; missing: 0"`
	Form         int         `json:"form" doc:"index in forms" min:"0"`
	Alias        bool        `json:"alias,omitempty" doc:"it is read, and never decodes"`
	Private      bool        `json:"private,omitempty" doc:"no encoding of it is public: its bits are made up, and it never decodes"`
	Short        bool        `json:"short,omitempty" doc:"of two forms of an instruction the short one"`
	Rank         int         `json:"rank,omitempty" doc:"among rows of one name, when text is read: lower is tried first"`
	Tags         []string    `json:"tags,omitempty" doc:"what the rule of groups asks of it"`
	Restrictions []Forbidden `json:"restrictions,omitempty" doc:"combinations of fields that are no instruction, although each field is legal"`
	Rules        []string    `json:"rules,omitempty" doc:"rules that it can break, by id"`
	Implicit     []Implicit  `json:"implicit,omitempty" doc:"state that it reads or writes without an operand for it"`
	Doc          string      `json:"doc,omitempty" doc:"what it does, in a line"`
	Note         string      `json:"note,omitempty" doc:"where sources contradict each other: what was chosen and why"`
	Entry        string      `json:"entry,omitempty" doc:"what the reference lists it under"`
	Source       string      `json:"source" doc:"document and section; that of the encoding is with the encoding"`
	Runs         []Runs      `json:"runs,omitempty" doc:"what it does and how exactly, by variant and stage"`
}

// A Forbidden is a combination of field values that is no instruction.
type Forbidden struct {
	Variants []int     `json:"variants,omitempty" doc:"in which; missing: all that have the row"`
	Stages   []int     `json:"stages,omitempty" doc:"in which; missing: all"`
	If       []FieldIn `json:"if" doc:"all of these hold of the word"`
	Why      string    `json:"why" doc:"what is wrong then"`
}

// An Implicit is state that an instruction accesses without an operand.
type Implicit struct {
	Name string `json:"name" doc:"as users of the set write it"`
	Role string `json:"role,omitempty" doc:"what is done with it" enum:"role"`
}

// Runs is how a row runs in some variants.
type Runs struct {
	Variants []int    `json:"variants" doc:"in which"`
	Stages   []int    `json:"stages,omitempty" doc:"in which; missing: all that have the row"`
	Fidelity string   `json:"fidelity" doc:"exact: to the bit; approximate: hardware is within a bound; modelled: options choose where sources are silent; none: it cannot run" enum:"fidelity"`
	Because  []string `json:"because,omitempty" doc:"what makes it less than exact, or why it cannot run"`
	Bound    *Bound   `json:"bound,omitempty" doc:"of an approximate row, how far hardware may be; missing: no bound is published"`
	Options  []string `json:"options,omitempty" doc:"that choose what it does"`
	Example  *Example `json:"example,omitempty" doc:"an instruction of the row, of which the meaning is"`
}

// A Bound is how far the result of hardware may be from the correctly rounded one.
type Bound struct {
	ULP    float64 `json:"ulp,omitempty" doc:"units in the last place; missing: the bound is no number of these"`
	Text   string  `json:"text,omitempty" doc:"in words; missing: so many ulp"`
	Source string  `json:"source" doc:"document and section"`
}

// An Example is an example instruction.
type Example struct {
	Text    string   `json:"text" doc:"of the instruction, or the bundle that holds it"`
	Code    string   `json:"code,omitempty" doc:"its bytes in memory order, as hexadecimal digits; missing: no encoding is public"`
	Letters []string `json:"letters,omitempty" doc:"what formulas call operands, as name=letter"`
	Meaning *int     `json:"meaning,omitempty" doc:"index in meanings; missing: it cannot run"`
}

// A Meaning is the semantics of an instruction.
type Meaning struct {
	IR      string   `json:"ir" doc:"as docs/ir.md says; empty: nothing"`
	Formula []string `json:"formula" doc:"the same, an assignment a line, in the letters of operands"`
	Floats  string   `json:"floats,omitempty" doc:"how results of floats are rounded, and the like"`
}

// A Gap is what is known about words without a row.
type Gap struct {
	Class   int       `json:"class,omitempty" doc:"index in classes"`
	If      []FieldIn `json:"if" doc:"all of these hold of the word"`
	Verdict string    `json:"verdict" doc:"code of the error" enum:"verdict"`
	Why     string    `json:"why" doc:"message; a verb of C's printf stands for the value of the first of if"`
}

// A Group says how bundles are decoded.
type Group struct {
	Rule  string   `json:"rule" doc:"name of the rule"`
	Steps []string `json:"steps" doc:"the rule in words"`
}

// A Rule is a rule for programs.
type Rule struct {
	ID       string `json:"id" doc:"as lint reports it"`
	Severity string `json:"severity" doc:"how bad it is to break it" enum:"severity"`
	Doc      string `json:"doc" doc:"what must hold"`
	Source   string `json:"source" doc:"document and section"`
	Variants []int  `json:"variants" doc:"that have it"`
	Example  string `json:"example" doc:"text that breaks it"`
}

// An Entry is an instruction as the reference lists it.
type Entry struct {
	Name   string `json:"name" doc:"as the reference has it"`
	Public string `json:"public,omitempty" doc:"what of its encoding is public; missing: all"`
}

// An Op is an op of the IR.
type Op struct {
	Name     string `json:"name" doc:"as in IR"`
	Rule     string `json:"rule" doc:"types of operands and results: docs/ir.md"`
	Fidelity string `json:"fidelity" doc:"how exactly hardware does the same" enum:"fidelity"`
	Doc      string `json:"doc" doc:"what it does"`
}

// A Source is a citation and its sections.
type Source struct {
	Cite     string    `json:"cite" doc:"as sources have it"`
	Sections []Section `json:"sections" doc:"of docs/reference"`
}

// A Section is a section of a page of docs/reference.
type Section struct {
	Title string `json:"title" doc:"number and heading"`
	Path  string `json:"path" doc:"in the repository of heddle"`
	URL   string `json:"url" doc:"of the page"`
}
