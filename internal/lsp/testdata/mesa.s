.isa rogue
.dialect mesa24 //@ complete(".dialect me", "mesa24")
	{ control ctrl: wop; } //@ hover("wop", "wop") token("wop", "keyword")
	{ control ctrl: nop.end; }
