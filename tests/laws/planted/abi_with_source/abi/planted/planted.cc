// Code where only C headers may be.
