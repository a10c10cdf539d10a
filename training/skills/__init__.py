"""Made texts that take reasoning to judge: scenarios in several worlds, and claims that hold in some of them."""
